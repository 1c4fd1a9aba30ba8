#include "lessons/prose.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/text.hpp"

namespace minimind {

Prose::Prose(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    set("B", sizes.batch.batch);
    set("S", sizes.batch.seq);
    set("BS", sizes.batch.tokens());
    set("H", config.hidden_size);
    set("h", config.num_attention_heads);
    set("k", config.num_key_value_heads);
    set("D", config.head_dim);
    set("hD", config.q_size());
    set("kD", config.kv_size());
    set("I", config.intermediate_size);
    set("L", config.num_hidden_layers);
    set("V", config.vocab_size);
}

void Prose::set(const std::string& name, std::int64_t number) {
    values_[name] = with_commas(number);
}

void Prose::set(const std::string& name, const std::string& text) {
    values_[name] = text;
}

Words Prose::operator()(std::string_view en, std::string_view zh) const {
    return {filled(en), filled(zh)};
}

std::string Prose::filled(std::string_view text) const {
    std::string result;
    for (std::size_t at = 0;;) {
        const std::size_t open = text.find('{', at);
        result += text.substr(at, open - at);
        if (open == std::string_view::npos) return result;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) throw std::logic_error("a { without its }: " + std::string(text));
        const std::size_t bracket = result.find_last_of("[]()");
        const bool is_in_brackets = bracket != std::string::npos && (result[bracket] == '[' || result[bracket] == '(');
        result += value_of(text.substr(open + 1, close - open - 1), is_in_brackets, text);
        at = close + 1;
    }
}

std::string Prose::value_of(std::string_view name, bool is_in_brackets, std::string_view text) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::logic_error("an unknown name in: " + std::string(text));
    std::string value = found->second;
    if (is_in_brackets) value.erase(std::remove(value.begin(), value.end(), ','), value.end());
    return value;
}

}  // namespace minimind
