#include "tokenizer/bpe_json.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "tokenizer/byte_level.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

void refuse_unsupported(const JsonFields& model) {
    const std::string type = model.text("type", "BPE");  // files of old leave it out
    if (type != "BPE") {
        throw Error("the model type " + short_repr(type) + " is not supported")
            .at(model.where())
            .help("supported: BPE");
    }
    for (const std::string option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!model.text(option, "").empty()) throw Error(option + " is not supported").at(model.where());
    }
    if (model.flag("byte_fallback", false)) {
        throw Error("byte_fallback is not supported").at(model.where()).note("byte-level BPE has every byte anyway");
    }
    if (model.has("dropout") && model.at("dropout") != 0) {
        throw Error("dropout is not supported").at(model.where()).note("it makes the ids of a text random");
    }
}

Vocabulary parse_vocabulary(const JsonFields& vocab, std::size_t added) {
    const std::size_t entries = vocab.value().size() + added;
    Vocabulary vocabulary(4 * entries + 4096);  // holes are allowed, deserts are not
    for (const auto& [token, id] : vocab.value().items()) {
        vocabulary.add(token, json_token_id(id, token, vocab.where()), vocab.where());
    }
    if (vocabulary.size() == 0) throw Error("the vocabulary is empty").at(vocab.where());
    return vocabulary;
}

/// Where a merge stands; the text is made only for an error, since there are many merges.
struct MergePlace {
    const JsonFields& model;
    std::int32_t rank = 0;

    std::string text() const { return fmt::format("{}.merges[{}]", model.where(), rank); }
};

/// "a b", or ["a", "b"] for tokens that may hold a space.
std::pair<std::string, std::string> parse_pair(const nlohmann::json& entry, const MergePlace& place) {
    if (entry.is_string()) {
        const std::string text = entry.get<std::string>();
        const std::size_t space = text.find(' ');
        if (space != std::string::npos && text.find(' ', space + 1) == std::string::npos) {
            return {text.substr(0, space), text.substr(space + 1)};
        }
    } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
        return {entry[0].get<std::string>(), entry[1].get<std::string>()};
    }
    throw Error("a merge must be \"a b\" or [\"a\", \"b\"]").at(place.text());
}

TokenId merge_part(const Vocabulary& vocabulary, const std::string& token, const MergePlace& place) {
    const std::optional<TokenId> id = vocabulary.find(token);
    if (!id) throw Error("a merge needs " + short_repr(token) + ", which is not in the vocabulary").at(place.text());
    return *id;
}

void parse_merges(const JsonFields& model, const Vocabulary& vocabulary, BpeRules& bpe) {
    MergePlace place{model};
    for (const auto& entry : model.list("merges")) {
        const auto [left, right] = parse_pair(entry, place);
        const TokenId left_id = merge_part(vocabulary, left, place);
        const TokenId right_id = merge_part(vocabulary, right, place);
        const TokenId result = merge_part(vocabulary, left + right, place);
        bpe.merges[BpeRules::pair_key(left_id, right_id)] = {place.rank, result};  // of equal merges the last counts
        ++place.rank;
    }
}

}  // namespace

void parse_bpe_model(const JsonFields& model, TokenizerRules& rules) {
    refuse_unsupported(model);
    const JsonFields vocab = model.fields("vocab");
    rules.vocabulary = parse_vocabulary(vocab, rules.added_tokens.size());
    rules.model_vocab_size = rules.vocabulary.size();
    parse_merges(model, rules.vocabulary, rules.bpe);
    for (int byte = 0; byte < 256; ++byte) {
        const std::string& character = byte_level_character(static_cast<unsigned char>(byte));
        rules.bpe.byte_tokens[static_cast<std::size_t>(byte)] =
            rules.vocabulary.find(character).value_or(BpeRules::no_token);
    }
    if (model.has("unk_token")) {
        const std::string unknown = model.text("unk_token");
        rules.bpe.unknown = rules.vocabulary.find(unknown);
        if (!rules.bpe.unknown) {
            throw Error("unk_token " + short_repr(unknown) + " is not in the vocabulary").at(model.where());
        }
    }
    rules.bpe.fuse_unknown = model.flag("fuse_unk", false);
    if (!model.flag("ignore_merges", false)) return;
    for (const auto& [token, id] : vocab.value().items()) {
        if (const auto bytes = from_byte_level(token)) rules.bpe.words[*bytes] = id.get<TokenId>();
    }
}

AddedToken parse_added_token(const JsonFields& entry, const nlohmann::json& id) {
    AddedToken token;
    token.content = entry.text("content");
    token.id = json_token_id(id, token.content, entry.where());
    token.special = entry.flag("special", false);
    token.single_word = entry.flag("single_word", false);
    token.lstrip = entry.flag("lstrip", false);
    token.rstrip = entry.flag("rstrip", false);
    token.normalized = entry.flag("normalized", !token.special);
    if (token.content.empty()) throw Error("an added token is empty").at(entry.where());
    if (token.content.size() > AddedTokenFinder::max_content_bytes) {
        throw Error(fmt::format("an added token is longer than {} bytes", AddedTokenFinder::max_content_bytes))
            .at(entry.where());
    }
    return token;
}

}  // namespace minimind
