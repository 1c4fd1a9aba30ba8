#include "tokenizer/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/error.hpp"
#include "tokenizer/byte_level.hpp"
#include "tokenizer/json_source.hpp"
#include "tokenizer/template_check.hpp"

namespace minimind {

namespace {

constexpr std::size_t max_text_bytes = std::size_t{1} << 30;  // places in a word are 32 bits

bool file_exists(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

std::string normalised(std::string_view text, const std::vector<NormalForm>& forms) {
    std::string result(text);
    for (const NormalForm form : forms) result = normal_form(result, form);
    return result;
}

/// The added tokens that are looked for in the text as it came, or those looked for in the normalised text.
std::vector<AddedToken> added_tokens(const TokenizerRules& rules, bool in_normalized) {
    std::vector<AddedToken> tokens;
    for (AddedToken token : rules.added_tokens) {
        if (token.normalized != in_normalized) continue;
        if (in_normalized) token.content = normalised(token.content, rules.normal_forms);
        tokens.push_back(std::move(token));
    }
    return tokens;
}

std::optional<SpecialToken> special_token(const std::optional<std::string>& name, const Vocabulary& vocabulary) {
    if (!name) return std::nullopt;
    const std::optional<TokenId> id = vocabulary.find(*name);
    if (!id) return std::nullopt;
    return SpecialToken{*name, *id};
}

TokenizerConfig config_beside(const std::filesystem::path& directory) {
    const std::filesystem::path file = directory / "tokenizer_config.json";
    TokenizerConfig config =
        file_exists(file) ? parse_tokenizer_config(read_text_file(file), file.string()) : default_tokenizer_config();
    const std::filesystem::path jinja = directory / "chat_template.jinja";
    if (file_exists(jinja)) {
        config.chat_templates = {read_text_file(jinja)};
        config.where = jinja.string();
    }
    return config;
}

}  // namespace

Tokenizer Tokenizer::from_path(const std::filesystem::path& path) {
    std::error_code ignored;
    const bool is_directory = std::filesystem::is_directory(path, ignored);
    const std::filesystem::path file = is_directory ? path / "tokenizer.json" : path;
    if (!file_exists(file)) {
        throw Error(is_directory ? "the directory has no tokenizer.json" : "there is no such tokenizer file")
            .at(path.string())
            .help("give a tokenizer.json of Hugging Face's tokenizers library, or the directory that holds it");
    }
    return from_json(read_text_file(file), config_beside(file.parent_path()), file.string());
}

Tokenizer Tokenizer::from_json(std::string_view tokenizer_json, const TokenizerConfig& config,
                               const std::string& where) {
    TokenizerRules rules = parse_tokenizer_json(tokenizer_json, where);
    apply_tokenizer_config(config, rules);
    return Tokenizer(std::move(rules), config, where);
}

Tokenizer::Tokenizer(TokenizerRules rules, const TokenizerConfig& config, std::string source)
    : rules_(std::move(rules)),
      added_in_text_(added_tokens(rules_, false)),
      added_in_normalized_(added_tokens(rules_, true)),
      bytes_(rules_.vocabulary.id_limit()),
      special_(rules_.vocabulary.id_limit(), false),
      source_(std::move(source)),
      config_source_(config.where) {
    for (std::size_t id = 0; id < bytes_.size(); ++id) {
        const std::string* token = rules_.vocabulary.token(static_cast<std::int64_t>(id));
        if (token != nullptr) bytes_[id] = from_byte_level(*token).value_or(*token);
    }
    for (const AddedToken& token : rules_.added_tokens) special_[static_cast<std::size_t>(token.id)] = token.special;
    special_tokens_ = {special_token(config.bos, rules_.vocabulary), special_token(config.eos, rules_.vocabulary),
                       special_token(config.pad, rules_.vocabulary), special_token(config.unk, rules_.vocabulary)};
    const std::vector<std::string>& templates = config.chat_templates;
    has_template_file_ = !templates.empty();
    minimind_chat_ = (has_template_file_ || !config.from_file) &&
                     std::all_of(templates.begin(), templates.end(), is_minimind_template);
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text, const std::string& where) const {
    if (text.size() > max_text_bytes) throw Error("the text is longer than 1 GiB").at(where);
    require_utf8(text, where);
    Encoding encoding{BpeEncoder(rules_.bpe), MatchBudget(text.size()), {}};
    for (const TextPiece& piece : added_in_text_.split(text)) {
        if (piece.token) {
            encoding.ids.push_back(*piece.token);
        } else {
            encode_between(piece.text, encoding);
        }
    }
    return std::move(encoding.ids);
}

void Tokenizer::encode_between(std::string_view text, Encoding& encoding) const {
    const std::string in_form = normalised(text, rules_.normal_forms);
    for (const TextPiece& piece : added_in_normalized_.split(in_form)) {
        if (piece.token) {
            encoding.ids.push_back(*piece.token);
        } else {
            encode_words(piece.text, encoding);
        }
    }
}

void Tokenizer::encode_words(std::string_view text, Encoding& encoding) const {
    std::string prefixed;
    if (rules_.pre_tokenizer.add_prefix_space && text.front() != ' ') {
        prefixed = " " + std::string(text);
        text = prefixed;
    }
    std::vector<std::string_view> words{text};
    for (const SplitPattern& pattern : rules_.pre_tokenizer.patterns) {
        std::vector<std::string_view> smaller;
        for (const std::string_view word : words) pattern.split(word, smaller, encoding.budget);
        words = std::move(smaller);
    }
    for (const std::string_view word : words) encoding.encoder.encode_word(word, encoding.ids);
}

std::string Tokenizer::decode(const std::vector<std::int64_t>& ids, bool skip_special) const {
    std::string bytes;
    for (const std::int64_t id : ids) {
        if (has(id) && !(skip_special && is_special(id))) bytes += bytes_[static_cast<std::size_t>(id)];
    }
    return replace_invalid_utf8(bytes);
}

const std::string& Tokenizer::token(std::int64_t id) const {
    const std::string* found = rules_.vocabulary.token(id);
    if (found == nullptr) {
        throw Error(fmt::format("there is no token with id {}", id))
            .at(source_)
            .note(fmt::format("ids are from 0 to {}", id_limit() - 1));
    }
    return *found;
}

const std::string& Tokenizer::token_bytes(std::int64_t id) const {
    token(id);  // throws if there is none
    return bytes_[static_cast<std::size_t>(id)];
}

bool Tokenizer::is_special(std::int64_t id) const {
    return has(id) && special_[static_cast<std::size_t>(id)];
}

std::optional<std::int64_t> Tokenizer::find(const std::string& token) const {
    const std::optional<TokenId> id = rules_.vocabulary.find(token);
    if (!id) return std::nullopt;
    return *id;
}

std::string Tokenizer::render_chat(const Chat& chat) const {
    if (!minimind_chat_) {
        throw Error(has_template_file_ ? "the chat template of this tokenizer is not MiniMind's"
                                       : "this tokenizer has no chat template")
            .at(config_source_)
            .note("expected: the template of minimind-3, whose last lines ask for open_thinking")
            .note("another template would need another prompt than the one we could write")
            .help("render the prompt with transformers' apply_chat_template and give it as text")
            .help("or use the tokenizer without its tokenizer_config.json to get MiniMind's chat format");
    }
    return render_minimind_chat(chat);
}

std::string TokenStream::push(std::int64_t id) {
    if (!tokenizer_->has(id) || (skip_special_ && tokenizer_->is_special(id))) return "";
    return stream_.feed(tokenizer_->token_bytes(id));
}

}  // namespace minimind
