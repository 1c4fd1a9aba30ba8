#include <fmt/format.h>

#include "trace/point.hpp"

namespace minimind {

namespace {

/// The pattern as typed, with the {i} and {e} of the reference read as "any".
std::string any_index(std::string_view pattern) {
    std::string result;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool symbol = pattern.substr(i, 3) == "{i}" || pattern.substr(i, 3) == "{e}";
        result.push_back(symbol ? '*' : pattern[i]);
        if (symbol) i += 2;
    }
    return result;
}

}  // namespace

// Without recursion: on a mismatch, go back to the last *.
bool matches_name(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string site_name(Site site) {
    return fmt::format(fmt::runtime(info(site.point).name), fmt::arg("i", site.layer), fmt::arg("e", site.expert));
}

std::string site_alias(Site site) {
    const std::string_view alias = info(site.point).alias;
    if (alias.empty() || site.layer < 0) return std::string(alias);
    return fmt::format("blocks.{}.{}", site.layer, alias);
}

bool matches(std::string_view typed, Site site) {
    const std::string pattern = any_index(typed);
    const std::string name = site_name(site);
    if (matches_name(pattern, name)) return true;
    const std::string alias = site_alias(site);
    if (!alias.empty() && matches_name(pattern, alias)) return true;
    // a dotted end of the name: q_rope, self_attn.q_rope
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        if (matches_name(pattern, std::string_view(name).substr(dot + 1))) return true;
    }
    return false;
}

}  // namespace minimind
