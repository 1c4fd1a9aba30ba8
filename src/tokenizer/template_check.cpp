#include "tokenizer/template_check.hpp"

#include <algorithm>

namespace minimind {

namespace {

struct KnownTemplate {
    std::uint64_t fingerprint;
    std::size_t normalised_size;
};

constexpr KnownTemplate minimind_3{0xf9ad0af1eb1ed9cb, 3119};

bool is_white(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

std::string normalised_template(std::string_view jinja) {
    std::string result;
    bool in_tag = false;
    for (std::size_t at = 0; at < jinja.size();) {
        const std::string_view two = jinja.substr(at, 2);
        if (in_tag && (jinja[at] == '\'' || jinja[at] == '"')) {
            std::size_t end = at + 1;
            while (end < jinja.size() && jinja[end] != jinja[at]) end += jinja[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, jinja.size());
            result += jinja.substr(at, end - at);
            at = end;
        } else if (two == "{%" || two == "{{" || two == "%}" || two == "}}") {
            in_tag = two[0] == '{';
            result += two;
            at += 2;
        } else if (is_white(jinja[at])) {
            // White space at the very end is printed, so it counts there.
            const std::size_t end = std::min(jinja.find_first_not_of(" \n\t\r", at), jinja.size());
            const bool at_end = end == jinja.size() && jinja.substr(at) != "\n";
            if (in_tag) result += ' ';
            if (at_end) result += jinja.substr(at);
            at = end;
        } else {
            result += jinja[at++];
        }
    }
    return result;
}

std::uint64_t template_fingerprint(std::string_view jinja) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : normalised_template(jinja)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}

bool is_minimind_template(std::string_view jinja) {
    return normalised_template(jinja).size() == minimind_3.normalised_size &&
           template_fingerprint(jinja) == minimind_3.fingerprint;
}

}  // namespace minimind
