// Sentences with the learner's own sizes in them:
//
//   Prose prose(sizes);
//   prose("{B} rows of {S} tokens", "{B} 行，每行 {S} 个 token")      ->      {"2 rows of 6 tokens", "2 行，……"}
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lessons/worksheet.hpp"

namespace minimind {

class Prose {
  public:
    /// Knows {B} {S} {H} {h} {k} {D} {I} {L} {V} and the products {BS} {hD} {kD}.
    explicit Prose(const Sizes& sizes);

    /// One more name. Numbers are shown as 63,912,192, but as 6400 in brackets, where commas part axes.
    void set(const std::string& name, std::int64_t number);
    void set(const std::string& name, const std::string& text);

    /// Throws std::logic_error for a name that is not known: "{X}".
    Words operator()(std::string_view en, std::string_view zh) const;

  private:
    std::string filled(std::string_view text) const;
    std::string value_of(std::string_view name, bool is_in_brackets, std::string_view text) const;

    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace minimind
