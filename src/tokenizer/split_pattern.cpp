#define PCRE2_CODE_UNIT_WIDTH 8
#include "tokenizer/split_pattern.hpp"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "tokenizer/pattern_translation.hpp"
#include "tokenizer/python_text.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

constexpr std::size_t max_pattern_bytes = 16384;

/// An attempt at one place first gets few steps; one that needs more is made again with more, and what it may use then
/// comes out of the budget for the whole text.
constexpr std::uint32_t first_limit = 256;
constexpr std::uint32_t last_limit = std::uint32_t{1} << 28;

std::string pcre2_message(int code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return std::string(reinterpret_cast<const char*>(text.data()));
}

/// Matches one pattern at one place after another of one text.
class Matcher {
  public:
    Matcher(const pcre2_code* code, std::string_view text, MatchBudget& budget)
        : code_(code),
          text_(text),
          budget_(budget),
          data_(pcre2_match_data_create(1, nullptr)),
          context_(pcre2_match_context_create(nullptr)) {
        if (data_ == nullptr || context_ == nullptr) throw std::bad_alloc();
        pcre2_set_heap_limit(context_.get(), 256 * 1024);  // KiB
    }

    /// The length of the match that begins at `at`, or -1 if there is none, or an error code of PCRE2 below -1.
    std::ptrdiff_t match_at(std::size_t at) {
        std::uint32_t limit = first_limit;
        int result = attempt(at, limit);
        while (result == PCRE2_ERROR_MATCHLIMIT && limit < last_limit) {
            limit *= 16;
            if (limit > budget_.steps) break;
            budget_.steps -= limit;
            result = attempt(at, limit);
        }
        if (result < 0) return result;
        const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data_.get());
        return static_cast<std::ptrdiff_t>(offsets[1]) - static_cast<std::ptrdiff_t>(at);
    }

  private:
    int attempt(std::size_t at, std::uint32_t limit) {
        pcre2_set_match_limit(context_.get(), limit);
        const auto match = [&](std::uint32_t options) {
            return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), at,
                               PCRE2_NO_UTF_CHECK | options, data_.get(), context_.get());
        };
        const int result = match(0);
        // Compiled code works on a small stack; the interpreter takes the heap, up to its limit.
        return result == PCRE2_ERROR_JIT_STACKLIMIT ? match(PCRE2_NO_JIT) : result;
    }

    struct Free {
        void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
        void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    };
    const pcre2_code* code_;
    std::string_view text_;
    MatchBudget& budget_;
    std::unique_ptr<pcre2_match_data, Free> data_;
    std::unique_ptr<pcre2_match_context, Free> context_;
};

}  // namespace

SplitPattern SplitPattern::regex(std::string_view pattern, Keep keep) {
    if (pattern.size() > max_pattern_bytes) throw Error("the split pattern is longer than 16 KiB");
    require_utf8(pattern, "the split pattern");
    return SplitPattern(translate_pattern(pattern), PCRE2_UCP | PCRE2_MULTILINE, keep, pattern);
}

SplitPattern SplitPattern::literal(std::string_view text, Keep keep) {
    if (text.size() > max_pattern_bytes) throw Error("the split pattern is longer than 16 KiB");
    require_utf8(text, "the split pattern");
    return SplitPattern(std::string(text), PCRE2_LITERAL, keep, text);
}

SplitPattern::SplitPattern(const std::string& pattern, unsigned options, Keep keep, std::string_view shown)
    : keep_(keep), shown_(short_repr(shown, 80)) {
    const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
        pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
    if (context == nullptr) throw std::bad_alloc();
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int code = 0;
    PCRE2_SIZE offset = 0;
    // Anchored: we ask place by place, so that the limits above hold for each place.
    pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                         options | PCRE2_UTF | PCRE2_ANCHORED, &code, &offset, context.get());
    if (compiled == nullptr) {
        throw Error("the split pattern is not a regular expression we can compile")
            .at("pattern " + shown_)
            .note(pcre2_message(code));
    }
    code_ = std::shared_ptr<const pcre2_code>(compiled, [](pcre2_code* owned) { pcre2_code_free(owned); });
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // where that is not possible, matching is slower, not wrong
}

void SplitPattern::split(std::string_view text, std::vector<std::string_view>& words, MatchBudget& budget) const {
    Matcher matcher(code_.get(), text, budget);
    const auto add = [&](Keep kind, std::size_t begin, std::size_t end) {
        if (begin < end && (keep_ == Keep::all || keep_ == kind)) words.push_back(text.substr(begin, end - begin));
    };
    std::size_t gap = 0;  // where the text since the last match begins
    std::size_t at = 0;
    while (at < text.size()) {
        const std::ptrdiff_t length = matcher.match_at(at);
        if (length < PCRE2_ERROR_NOMATCH) {
            throw Error("the tokenizer's split pattern takes too long or too much memory on this text")
                .at("pattern " + shown_)
                .note(fmt::format("at byte {}: {}", at, pcre2_message(static_cast<int>(length))));
        }
        if (length >= 0) {
            add(Keep::gaps, gap, at);
            add(Keep::matches, at, at + static_cast<std::size_t>(length));
            gap = at + static_cast<std::size_t>(length);
        }
        at = length > 0 ? gap : at + utf8_unit_at(text, at).size;
    }
    add(Keep::gaps, gap, text.size());
}

}  // namespace minimind
