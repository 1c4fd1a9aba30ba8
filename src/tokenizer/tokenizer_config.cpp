#include "tokenizer/tokenizer_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "tokenizer/bpe_json.hpp"
#include "tokenizer/json_source.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

/// A token in this file is a string, or an object with "content".
std::string token_content(const nlohmann::json& value, const std::string& where) {
    if (value.is_object()) return JsonFields(value, where).text("content");
    if (!value.is_string()) throw Error(fmt::format("expected a string, found {}", value.type_name())).at(where);
    return value.get<std::string>();
}

std::optional<std::string> parse_token(const JsonFields& file, const std::string& key) {
    if (!file.has(key)) return std::nullopt;
    return token_content(file.at(key), file.where(key));
}

std::vector<AddedToken> parse_added_tokens_decoder(const JsonFields& file) {
    std::vector<AddedToken> tokens;
    if (!file.has("added_tokens_decoder")) return tokens;
    const JsonFields decoder = file.fields("added_tokens_decoder");
    if (decoder.value().size() > max_added_tokens) throw Error("too many added tokens").at(decoder.where());
    for (const auto& [key, entry] : decoder.value().items()) {
        std::uint32_t id = 0;
        const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), id);
        if (status != std::errc() || end != key.data() + key.size()) {
            throw Error("the key " + short_repr(key) + " is not a token id").at(decoder.where());
        }
        tokens.push_back(parse_added_token(JsonFields(entry, decoder.where(key)), nlohmann::json(id)));
    }
    return tokens;
}

/// One template, or a list of {"name": ..., "template": ...}.
std::vector<std::string> parse_chat_templates(const JsonFields& file) {
    if (!file.has("chat_template")) return {};
    if (!file.at("chat_template").is_array()) return {file.text("chat_template")};
    std::vector<std::string> templates;
    for (const auto& entry : file.list("chat_template")) {
        templates.push_back(JsonFields(entry, file.where("chat_template")).text("template"));
    }
    return templates;
}

void refuse_unsupported(const JsonFields& file) {
    for (const std::string option :
         {"add_bos_token", "add_eos_token", "clean_up_tokenization_spaces", "split_special_tokens"}) {
        if (file.has(option) && file.at(option) != false) {
            throw Error(option + " is not supported unless it is false").at(file.where());
        }
    }
}

void add_token(const AddedToken& token, TokenizerRules& rules, const std::string& where) {
    rules.vocabulary.add(token.content, token.id, where);
    const auto same = [&](const AddedToken& old) { return old.content == token.content; };
    const auto old = std::find_if(rules.added_tokens.begin(), rules.added_tokens.end(), same);
    if (old == rules.added_tokens.end()) {
        rules.added_tokens.push_back(token);
    } else {
        *old = token;
    }
}

/// A token that is only named: it gets into the list if it is not there yet.
void name_special_token(const std::string& content, const TokenizerConfig& config, TokenizerRules& rules) {
    const auto same = [&](const AddedToken& token) { return token.content == content; };
    if (std::any_of(rules.added_tokens.begin(), rules.added_tokens.end(), same)) return;
    const std::optional<TokenId> id = rules.vocabulary.find(content);
    if (id && !content.empty() && content.size() <= AddedTokenFinder::max_content_bytes) {
        AddedToken token;
        token.id = *id;
        token.content = content;
        token.special = true;
        rules.added_tokens.push_back(token);
    } else if (config.from_file) {
        throw Error("the special token " + short_repr(content) + " is not in tokenizer.json").at(config.where);
    }
}

}  // namespace

TokenizerConfig default_tokenizer_config() {
    TokenizerConfig config;
    config.where = "the default special tokens";
    config.bos = "<|im_start|>";
    config.eos = "<|im_end|>";
    config.pad = "<|endoftext|>";
    config.unk = "<|endoftext|>";
    return config;
}

TokenizerConfig parse_tokenizer_config(std::string_view text, const std::string& where) {
    const nlohmann::json root = parse_json_source(text, where);
    const JsonFields file(root, where);
    refuse_unsupported(file);
    TokenizerConfig config;
    config.where = where;
    config.from_file = true;
    config.bos = parse_token(file, "bos_token");
    config.eos = parse_token(file, "eos_token");
    config.pad = parse_token(file, "pad_token");
    config.unk = parse_token(file, "unk_token");
    if (file.has("additional_special_tokens")) {
        const nlohmann::json& list = file.list("additional_special_tokens");
        if (list.size() > max_added_tokens) throw Error("too many added tokens").at(file.where());
        for (const auto& token : list) {
            config.additional_special_tokens.push_back(token_content(token, file.where("additional_special_tokens")));
        }
    }
    config.added_tokens = parse_added_tokens_decoder(file);
    config.add_prefix_space = file.flag("add_prefix_space", false);
    config.chat_templates = parse_chat_templates(file);
    return config;
}

void apply_tokenizer_config(const TokenizerConfig& config, TokenizerRules& rules) {
    for (const AddedToken& token : config.added_tokens) add_token(token, rules, config.where);
    for (const auto& token : {config.bos, config.eos, config.pad, config.unk}) {
        if (token) name_special_token(*token, config, rules);
    }
    for (const std::string& token : config.additional_special_tokens) name_special_token(token, config, rules);
    // transformers sets this from its own file wherever the pre_tokenizer is ByteLevel alone.
    if (config.from_file && rules.pre_tokenizer.single_byte_level) {
        rules.pre_tokenizer.add_prefix_space = config.add_prefix_space;
    }
}

}  // namespace minimind
