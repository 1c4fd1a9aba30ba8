#include "tokenizer/split_pattern.hpp"

#include "support.hpp"
#include "tokenizer/pattern_translation.hpp"

using namespace minimind;
using namespace minimind::testing;

namespace {

using Keep = SplitPattern::Keep;

/// The words, with | between them.
std::string split(const SplitPattern& pattern, const std::string& text) {
    std::vector<std::string_view> words;
    MatchBudget budget(text.size());
    pattern.split(text, words, budget);
    std::string result;
    for (const std::string_view word : words) result += (result.empty() ? "" : "|") + std::string(word);
    return result;
}

std::string split(const std::string& pattern, const std::string& text, Keep keep = Keep::all) {
    return split(SplitPattern::regex(pattern, keep), text);
}

}  // namespace

TEST_CASE("split: GPT-2's pattern, by hand") {
    const SplitPattern gpt2 = SplitPattern::regex(gpt2_pattern, Keep::all);
    CHECK(split(gpt2, "Hello world") == "Hello| world");
    CHECK(split(gpt2, "they'll've 12x") == "they|'ll|'ve| 12|x");
    CHECK(split(gpt2, "a   b") == "a|  | b");  // the last space goes to what follows
    CHECK(split(gpt2, "a   ") == "a|   ");
    CHECK(split(gpt2, "x = y\n\n z") == "x| =| y|\n\n| z");
    CHECK(split(gpt2, "你好，世界") == "你好|，|世界");
    CHECK(split(gpt2, "½ ②") == "½| ②");  // \p{N} has more than digits
    CHECK(split(gpt2, "").empty());
}

TEST_CASE("split: what is kept") {
    CHECK(split("[0-9]+", "a12b3", Keep::all) == "a|12|b|3");
    CHECK(split("[0-9]+", "a12b3", Keep::matches) == "12|3");
    CHECK(split("[0-9]+", "a12b3", Keep::gaps) == "a|b");
    CHECK(split(SplitPattern::literal("a.b", Keep::gaps), "xa.byaxb") == "x|yaxb");
    CHECK(split("x*", "aéxxb") == "a|é|xx|b");  // an empty match cuts
}

TEST_CASE("split: Oniguruma's meanings") {
    CHECK(split("\\s+", "a\u180eb \u3000c", Keep::gaps) == "a\u180eb|c");  // U+180E is no white space
    CHECK(split("[^\\s]+", "a\u180e b", Keep::matches) == "a\u180e|b");
    CHECK(split("\\S+", "a\u180e b", Keep::matches) == "a\u180e|b");
    CHECK(split("[\\S]+", "a\u180e b", Keep::matches) == "a\u180e|b");
    CHECK(split("^.", "ab\ncd", Keep::matches) == "a|c");  // ^ works by lines
    CHECK(split("(?i:'S)", "it's iT'S", Keep::matches) == "'s|'S");
    CHECK(split("\\u4f60|\\x41", "A你", Keep::matches) == "A|你");
    CHECK(split("\\v",
                "a\x0b"
                "b\nc",
                Keep::gaps) == "a|b\nc");
}

TEST_CASE("split: what is not supported is named") {
    for (const std::string pattern : {"\\w+", "\\bx", "a\\h", "(?m:a.b)", "[a[bc]]", "[a&&b]", "(*UTF)a", "a{2}+",
                                      "(?<name>a)", "(a)\\1", "\\", "[]a]", "\\pL", "\\x4"}) {
        CAPTURE(pattern);
        CHECK(contains(error_of([&] { SplitPattern::regex(pattern, Keep::all); }), "is not supported"));
    }
    for (const std::string pattern : {"(a", "a)", "[a", "*a", "\\p{Nonsense}", "a{3,2}", "(?<=a+)b"}) {
        CAPTURE(pattern);
        CHECK(contains(error_of([&] { SplitPattern::regex(pattern, Keep::all); }), "we can compile"));
    }
    CHECK(contains(error_of([] { SplitPattern::regex(std::string(20000, 'a'), Keep::all); }), "longer than"));
    CHECK_FALSE(error_of([] { SplitPattern::regex(std::string(5000, '('), Keep::all); }).empty());
}

TEST_CASE("split: a pattern that takes exponential time ends in an error") {
    for (const std::string pattern : {"(a+)+b", "(?:a|aa)+b", "(?:a*)*b", "a*a*a*a*a*a*a*a*b"}) {
        CAPTURE(pattern);
        // With a "b" behind it that cannot be reached, or PCRE2 would see at once that nothing can match.
        const std::string text = std::string(300, 'a') + "cb";
        CHECK(contains(error_of([&] { split(pattern, text); }), "takes too long"));
    }
}

TEST_CASE("split: long matches need no deep stack") {
    const std::string text(200000, 'a');
    CHECK(split("(?:\\p{L}\\p{M}*)+", text) == text);
    CHECK(split("\\p{L}+", text) == text);
}
