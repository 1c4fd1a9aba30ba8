#include "trace_loss_shift/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

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

}  // namespace minimind
