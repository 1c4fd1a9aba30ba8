#include "report/explanations.hpp"

#include <fmt/format.h>

namespace minimind {

namespace {

std::string filled(const std::string& text, const Blanks& blanks) {
    std::string result;
    std::size_t done = 0;  // everything before it is in the result
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        if (close == std::string::npos) break;
        const auto blank = blanks.find(text.substr(open + 1, close - open - 1));
        if (blank == blanks.end()) continue;
        result += text.substr(done, open - done) + blank->second;
        done = close + 1;
    }
    return result + text.substr(done);
}

}  // namespace

std::string counted(std::int64_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Blanks size_blanks(const ModelConfig& config, Batch batch) {
    Blanks blanks = {{"eps", fmt::format("{}", config.rms_norm_eps)}};
    const std::map<std::string, std::int64_t> sizes = {{"B", batch.batch},
                                                       {"S", batch.seq},
                                                       {"H", config.hidden_size},
                                                       {"h", config.num_attention_heads},
                                                       {"k", config.num_key_value_heads},
                                                       {"D", config.head_dim},
                                                       {"hD", config.q_size()},
                                                       {"kD", config.kv_size()},
                                                       {"n_rep", config.heads_per_kv_head()},
                                                       {"L", config.num_hidden_layers},
                                                       {"V", config.vocab_size},
                                                       {"I", config.intermediate_size},
                                                       {"E", config.num_experts},
                                                       {"K", config.num_experts_per_tok},
                                                       {"max_pos", config.max_position_embeddings}};
    for (const auto& [name, size] : sizes) blanks[name] = std::to_string(size);
    blanks["h heads"] = counted(config.num_attention_heads, "query head");
    blanks["k heads"] = counted(config.num_key_value_heads, "key/value head");
    blanks["S positions"] = counted(batch.seq, "position");
    blanks["L blocks"] = counted(config.num_hidden_layers, "block");
    return blanks;
}

Words filled(Words words, const Blanks& blanks) {
    return {filled(words.en, blanks), filled(words.zh, blanks)};
}

Explanations all_filled(Explanations texts, const Blanks& blanks) {
    for (auto& [title, words] : texts) words = filled(std::move(words), blanks);
    return texts;
}

}  // namespace minimind
