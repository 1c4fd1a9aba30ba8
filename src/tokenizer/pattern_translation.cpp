#include "tokenizer/pattern_translation.hpp"

#include <fmt/format.h>

#include <cctype>

#include "core/error.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

/// Unicode's White_Space, to be put into a class.
constexpr std::string_view white_space =
    R"(\t-\r\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

bool is_alphanumeric(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

class Translator {
  public:
    explicit Translator(std::string_view pattern) : pattern_(pattern) {}

    std::string run() {
        while (at_ < pattern_.size()) {
            if (peek() == '\\') {
                escape();
            } else if (in_class_) {
                class_character();
            } else {
                plain_character();
            }
        }
        return std::move(result_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0'; }
    bool next_is(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }

    void copy(std::size_t count) {
        result_ += pattern_.substr(at_, count);
        at_ += count;
    }

    [[noreturn]] void refuse(std::size_t count) const {
        throw Error("the split pattern uses " + short_repr(pattern_.substr(at_, count)) + ", which is not supported")
            .at("pattern " + short_repr(pattern_, 80))
            .note("supported: literals, classes, \\p{..}, \\s, \\d, groups, look-around, (?i), repetition");
    }

    void escape() {
        const char letter = peek(1);
        if (letter == '\0') refuse(1);
        if (letter == 's' || letter == 'S') return white_space_escape(letter == 'S');
        if (letter == 'v') {
            result_ += "\\x{0B}";
            at_ += 2;
        } else if (letter == 'p' || letter == 'P') {
            const std::size_t end = pattern_.find('}', at_);
            if (peek(2) != '{' || end == std::string_view::npos) refuse(3);
            copy(end + 1 - at_);
        } else if (letter == 'u' || letter == 'x') {
            code_point_escape(letter);
        } else if (std::string_view("dDnrtfae").find(letter) != std::string_view::npos || !is_alphanumeric(letter)) {
            copy(2);
        } else {
            refuse(2);
        }
    }

    void white_space_escape(bool negated) {
        if (!in_class_) {
            result_ += fmt::format("[{}{}]", negated ? "^" : "", white_space);
        } else {
            result_ += negated ? "\\S\\x{180E}" : white_space;
        }
        at_ += 2;
    }

    /// \u1234 and \x12, which PCRE2 spells \x{1234}; \x{...} is the same in both.
    void code_point_escape(char letter) {
        if (letter == 'x' && peek(2) == '{') return copy(2);
        const std::size_t digits = letter == 'u' ? 4 : 2;
        for (std::size_t i = 0; i < digits; ++i) {
            if (std::isxdigit(static_cast<unsigned char>(peek(2 + i))) == 0) refuse(2 + i);
        }
        result_ += fmt::format("\\x{{{}}}", pattern_.substr(at_ + 2, digits));
        at_ += 2 + digits;
    }

    void class_character() {
        const bool first = result_.size() == class_start_;
        if (peek() == '[' || next_is("&&")) refuse(2);  // a class within a class, an intersection
        if (peek() == ']') {
            if (first) refuse(1);  // literal in one dialect, an empty class in the other
            in_class_ = false;
        }
        copy(1);
    }

    void plain_character() {
        if (next_is("(*")) refuse(2);
        if (next_is("(?")) return group_start();
        if (next_is("}+")) refuse(2);  // possessive here, a repetition of a repetition there
        if (peek() == '[') {
            in_class_ = true;
            copy(peek(1) == '^' ? 2 : 1);
            class_start_ = result_.size();
            return;
        }
        copy(1);
    }

    void group_start() {
        for (const std::string_view known : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:", "(?i)", "(?-i:"}) {
            if (next_is(known)) return copy(known.size());
        }
        refuse(4);
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
    bool in_class_ = false;
    std::size_t class_start_ = 0;  // in result_, after [ or [^
    std::string result_;
};

}  // namespace

std::string translate_pattern(std::string_view pattern) {
    return Translator(pattern).run();
}

}  // namespace minimind
