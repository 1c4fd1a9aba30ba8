// The course's two kinds of training samples, as ids and labels.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/minimind_model.hpp"
#include "tokenizer/tokenizer.hpp"

namespace minimind {

struct Sample {
    std::string source;  // the text that was encoded
    TokenIds input_ids;  // [1, max_length]
    TokenIds labels;     // [1, max_length], -100 where nothing is to be learnt
};

/// Line `index` of a .jsonl file. Throws Error if there is no such line or it is no JSON object.
nlohmann::ordered_json read_line(const std::string& path, std::int64_t index);

/// {"text": ...}: bos, the tokens cut to max_length - 2, eos, then padding. A label is the id itself, -100 for padding.
Sample pretrain_sample(const nlohmann::ordered_json& line, const Tokenizer& tokenizer, std::int64_t max_length);

/// {"conversations": [...]}: the chat, cut and padded to max_length. Only what the assistant says is learnt: the ids from
/// after each "<|im_start|>assistant\n" through its "<|im_end|>\n", or to the end if that is cut off.
Sample sft_sample(const nlohmann::ordered_json& line, const Tokenizer& tokenizer, std::int64_t max_length);

}  // namespace minimind
