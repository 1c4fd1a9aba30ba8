#include "trace_loss_shift/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "console/data_files.hpp"
#include "core/error.hpp"
#include "model/loss.hpp"

namespace minimind {

namespace {

using Ids = std::vector<std::int64_t>;

std::int64_t padding_id(const Tokenizer& tokenizer) {
    const std::optional<SpecialToken>& pad = tokenizer.special_tokens().pad;
    return pad ? pad->id : 0;
}

TokenIds one_row(Ids ids) {
    return {{1, std::ssize(ids)}, std::move(ids)};
}

bool found_at(const Ids& ids, std::size_t place, const Ids& part) {
    return place + part.size() <= ids.size() &&
           std::equal(part.begin(), part.end(), ids.begin() + static_cast<std::ptrdiff_t>(place));
}

/// The labels of a chat: -100 but for what the assistant says.
Ids assistant_labels(const Ids& ids, const Ids& opening, const Ids& closing) {
    Ids labels(ids.size(), ignore_index);
    for (std::size_t i = 0; i < ids.size();) {
        if (!found_at(ids, i, opening)) {
            ++i;
            continue;
        }
        const std::size_t start = i + opening.size();
        std::size_t end = start;
        while (end < ids.size() && !found_at(ids, end, closing)) ++end;
        const std::size_t after = std::min(end + closing.size(), ids.size());
        for (std::size_t j = start; j < after; ++j) labels[j] = ids[j];
        i = after;
    }
    return labels;
}

}  // namespace

nlohmann::ordered_json read_line(const std::string& path, std::int64_t index) {
    std::ifstream file(path);
    if (!file) throw Error("cannot read the samples").at(path);
    std::string line;
    std::int64_t count = 0;
    while (std::getline(file, line)) {
        if (line.empty()) continue;
        if (count++ != index) continue;
        nlohmann::ordered_json sample = nlohmann::ordered_json::parse(line, nullptr, false);
        if (!sample.is_object())
            throw Error("a sample must be a JSON object").at(fmt::format("{}: line {}", path, count));
        return sample;
    }
    throw Error(fmt::format("there is no sample {}", index))
        .at(fmt::format("--index {}", index))
        .note(fmt::format("{} has {} samples", path, count))
        .help(fmt::format("use 0 to {}", count - 1));
}

Sample pretrain_sample(const nlohmann::ordered_json& line, const Tokenizer& tokenizer, std::int64_t max_length) {
    if (!line.contains("text") || !line["text"].is_string()) throw Error("a pretraining sample needs a \"text\"");
    Sample sample;
    sample.source = line["text"].get<std::string>();
    Ids ids = tokenizer.encode(sample.source, "the sample");
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(max_length - 2)));
    const SpecialTokens& special = tokenizer.special_tokens();
    if (!special.bos || !special.eos) throw Error("the tokenizer has no bos and eos token").at(tokenizer.source());
    ids.insert(ids.begin(), special.bos->id);
    ids.push_back(special.eos->id);
    const std::int64_t padding = padding_id(tokenizer);
    ids.resize(static_cast<std::size_t>(max_length), padding);
    Ids labels = ids;
    std::replace(labels.begin(), labels.end(), padding, ignore_index);
    sample.input_ids = one_row(std::move(ids));
    sample.labels = one_row(std::move(labels));
    return sample;
}

Sample sft_sample(const nlohmann::ordered_json& line, const Tokenizer& tokenizer, std::int64_t max_length) {
    if (!line.contains("conversations")) throw Error("a fine-tuning sample needs \"conversations\"");
    Chat chat;
    chat.messages = line["conversations"];
    chat.add_generation_prompt = false;
    Sample sample;
    sample.source = tokenizer.render_chat(chat);
    Ids ids = tokenizer.encode(sample.source, "the sample");
    ids.resize(static_cast<std::size_t>(max_length), padding_id(tokenizer));
    Ids labels = assistant_labels(ids, tokenizer.encode("<|im_start|>assistant\n"), tokenizer.encode("<|im_end|>\n"));
    sample.input_ids = one_row(std::move(ids));
    sample.labels = one_row(std::move(labels));
    return sample;
}

void SampleFlags::add(Arguments& args) {
    args.group("sample");
    args.choice("--mode", mode_, {"sft", "pretrain"}, "sft: a chat, of which only the answers count");
    args.integer("--index", index_, "which sample of the file", at_least(0));
    args.integer("--max_length", max_length, "ids of a sample: longer ones are cut, shorter ones padded", at_least(2));
    args.integer("--show_rows", show_rows, "rows of the alignment table", at_least(0));
    args.text("--pretrain_path", pretrain_path_, "a .jsonl file with {\"text\": ...} lines")
        .value_name("FILE")
        .shown_default("labs/data/tiny_pretrain.jsonl");
    args.text("--sft_path", sft_path_, "a .jsonl file with {\"conversations\": [...]} lines")
        .value_name("FILE")
        .shown_default("labs/data/tiny_sft.jsonl");
    tokenizer.add_text(args);
    tokenizer.add_chat(args);
    tokenizer.add_tokenizer(args);
    args.group("");
}

bool SampleFlags::is_pretraining() const {
    return tokenizer.text() || (mode_ == "pretrain" && !tokenizer.has_text());
}

Sample SampleFlags::sample(const Tokenizer& with) const {
    tokenizer.check();
    if (tokenizer.text()) return pretrain_sample({{"text", *tokenizer.text()}}, with, max_length);
    if (tokenizer.has_text()) return sft_sample({{"conversations", tokenizer.chat().messages}}, with, max_length);
    const bool is_text = is_pretraining();
    const std::string& given = is_text ? pretrain_path_ : sft_path_;
    const std::string shipped = is_text ? "labs/data/tiny_pretrain.jsonl" : "labs/data/tiny_sft.jsonl";
    const nlohmann::ordered_json line = read_line(given.empty() ? data_file(shipped).string() : given, index_);
    return is_text ? pretrain_sample(line, with, max_length) : sft_sample(line, with, max_length);
}

}  // namespace minimind
