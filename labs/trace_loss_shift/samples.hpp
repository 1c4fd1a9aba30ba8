// The course's two kinds of training samples, as ids and labels.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "console/text_flags.hpp"
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

/// Which sample to take: a line of a file, or a text or chat from the command line.
class SampleFlags {
  public:
    std::int64_t max_length = 80;
    std::int64_t show_rows = 60;
    TextFlags tokenizer;

    void add(Arguments& args);
    /// A text, of which everything is learnt; else a chat.
    bool is_pretraining() const;
    Sample sample(const Tokenizer& with) const;

  private:
    std::string mode_ = "sft";
    std::int64_t index_ = 0;
    std::string pretrain_path_;
    std::string sft_path_;
};

}  // namespace minimind
