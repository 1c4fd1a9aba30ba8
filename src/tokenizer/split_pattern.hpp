// Cutting a text into words at the matches of a regular expression (PCRE2, with Unicode classes). No merge of the
// tokenizer ever crosses the border of a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;

namespace minimind {

/// How many steps the matching of one text may take beyond the few that each place needs. A repetition within a
/// repetition can take exponentially many: then this runs out, in well under a minute, and the text is refused.
struct MatchBudget {
    explicit MatchBudget(std::size_t text_bytes) : steps(20'000'000 + 64 * std::uint64_t{text_bytes}) {}

    std::uint64_t steps;
};

class SplitPattern {
  public:
    /// What becomes of the matches and of the text between them.
    enum class Keep {
        all,      ///< each match is a word, and so is each piece between matches ("Isolated")
        matches,  ///< the text between matches is dropped
        gaps,     ///< the matches are dropped
    };

    /// A pattern as tokenizer.json spells it. Throws Error for one that is wrong or not supported.
    static SplitPattern regex(std::string_view pattern, Keep keep);
    /// Text to be found as it is.
    static SplitPattern literal(std::string_view text, Keep keep);

    /// Appends the words of `text`, none of them empty, as views into it. Precondition: valid UTF-8.
    /// Throws Error if the budget runs out.
    void split(std::string_view text, std::vector<std::string_view>& words, MatchBudget& budget) const;

  private:
    SplitPattern(const std::string& pattern, unsigned options, Keep keep, std::string_view shown);

    std::shared_ptr<const pcre2_real_code_8> code_;
    Keep keep_;
    std::string shown_;  // the pattern as the file has it, for errors
};

}  // namespace minimind
