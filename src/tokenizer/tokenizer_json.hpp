// tokenizer.json, as Hugging Face's tokenizers library writes it, for byte-level BPE:
//
//   added_tokens    [{"id": 1, "content": "<|im_start|>", "special": true, ...}, ...]
//   normalizer      null, NFC (NFD, NFKC, NFKD), or a Sequence of them
//   pre_tokenizer   ByteLevel, or a Sequence of Split and, last, ByteLevel
//   model           BPE: vocab {"token": id}, merges ["a b", ...] or [["a", "b"], ...], the most important first
//   decoder         ByteLevel
//   post_processor  null or ByteLevel (which moves offsets only, and we have none)
//   truncation, padding: for batches of training data; encoding one text leaves them alone
//
// What this cannot honour is an Error that names it: a tokenizer that is nearly right gives wrong ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.hpp"
#include "tokenizer/bpe.hpp"
#include "tokenizer/normal_form.hpp"
#include "tokenizer/split_pattern.hpp"
#include "tokenizer/vocabulary.hpp"

namespace minimind {

/// How a text is cut into words before BPE.
struct PreTokenizer {
    bool add_prefix_space = false;       ///< a text (or piece of it) without a space in front gets one
    bool single_byte_level = true;       ///< not a Sequence: tokenizer_config.json may then set add_prefix_space
    std::vector<SplitPattern> patterns;  ///< one after the other, each splits what the one before left
};

struct TokenizerRules {
    Vocabulary vocabulary{0};          ///< the model's and the added tokens
    std::size_t model_vocab_size = 0;  ///< without the added tokens that the model does not know
    BpeRules bpe;
    std::vector<AddedToken> added_tokens;
    std::vector<NormalForm> normal_forms;
    PreTokenizer pre_tokenizer;
};

/// Throws Error, at `where` and the field, for what is wrong or not supported.
TokenizerRules parse_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace minimind
