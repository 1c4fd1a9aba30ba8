// The hook reference: every point of the table, as text for the terminal, as JSON, and as the Markdown of docs/hooks.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console/terminal.hpp"
#include "trace/point.hpp"

namespace minimind {

/// "always", "dense", "MoE", "with a cache" or "with labels".
std::string occurs_text(Occurs occurs);

/// The points whose name, alias or ending a pattern matches; all if there is none. Throws Error for an unknown name.
std::vector<Point> points_named(const std::vector<std::string>& patterns);

std::string hook_reference_text(const std::vector<Point>& points, const Paint& paint);
nlohmann::ordered_json hook_reference_json(const std::vector<Point>& points);
/// The whole of docs/hooks.md.
std::string hook_reference_markdown();

}  // namespace minimind
