#include "tokenizer/tokenizer_json.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "tokenizer/bpe_json.hpp"
#include "tokenizer/json_source.hpp"
#include "tokenizer/pattern_translation.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

constexpr std::size_t max_steps = 16;  // of a Sequence; real files have two or three

Error unsupported(const std::string& what, const std::string& type, const std::string& where) {
    return Error(fmt::format("{} {} is not supported", what, short_repr(type))).at(where);
}

/// A component that is a Sequence gives its parts under `list`, any other gives itself.
std::vector<JsonFields> steps_of(const JsonFields& component, const std::string& list) {
    if (component.text("type") != "Sequence") return {component};
    std::vector<JsonFields> steps;
    for (const auto& step : component.list(list)) {
        steps.emplace_back(step, fmt::format("{}.{}[{}]", component.where(), list, steps.size()));
        if (steps.size() > max_steps) throw Error("a Sequence has more than 16 steps").at(component.where());
    }
    return steps;
}

std::vector<NormalForm> parse_normalizer(const JsonFields& file) {
    std::vector<NormalForm> forms;
    if (!file.has("normalizer")) return forms;
    for (const JsonFields& step : steps_of(file.fields("normalizer"), "normalizers")) {
        const std::string type = step.text("type");
        if (type == "NFC") {
            forms.push_back(NormalForm::nfc);
        } else if (type == "NFD") {
            forms.push_back(NormalForm::nfd);
        } else if (type == "NFKC") {
            forms.push_back(NormalForm::nfkc);
        } else if (type == "NFKD") {
            forms.push_back(NormalForm::nfkd);
        } else {
            throw unsupported("the normalizer", type, step.where()).help("supported: NFC, NFD, NFKC, NFKD");
        }
    }
    return forms;
}

SplitPattern::Keep parse_behavior(const JsonFields& split) {
    const std::string behavior = split.text("behavior");
    const bool invert = split.flag("invert", false);
    if (behavior == "Isolated") return SplitPattern::Keep::all;
    if (behavior == "Removed") return invert ? SplitPattern::Keep::matches : SplitPattern::Keep::gaps;
    throw unsupported("the split behavior", behavior, split.where()).help("supported: Isolated, Removed");
}

SplitPattern parse_split(const JsonFields& split) {
    const JsonFields pattern = split.fields("pattern");
    const SplitPattern::Keep keep = parse_behavior(split);
    const bool is_regex = pattern.has("Regex");
    const std::string text = pattern.text(is_regex ? "Regex" : "String");
    if (text.empty()) throw Error("the split pattern is empty").at(pattern.where());
    return is_regex ? SplitPattern::regex(text, keep) : SplitPattern::literal(text, keep);
}

PreTokenizer parse_pre_tokenizer(const JsonFields& file) {
    if (!file.has("pre_tokenizer")) {
        throw Error("this is not a byte-level tokenizer: it has no pre_tokenizer").at(file.where());
    }
    const JsonFields component = file.fields("pre_tokenizer");
    PreTokenizer result;
    result.single_byte_level = component.text("type") == "ByteLevel";
    bool byte_level = false;
    for (const JsonFields& step : steps_of(component, "pretokenizers")) {
        const std::string type = step.text("type");
        if (byte_level) throw Error("a pre_tokenizer step follows ByteLevel, which must be the last").at(step.where());
        if (type == "Split") {
            result.patterns.push_back(parse_split(step));
        } else if (type == "ByteLevel") {
            byte_level = true;
            result.add_prefix_space = step.flag("add_prefix_space", true);
            if (result.add_prefix_space && !result.patterns.empty()) {
                throw Error("add_prefix_space after a Split is not supported").at(step.where());
            }
            if (!step.flag("use_regex", true)) continue;
            result.patterns.push_back(SplitPattern::regex(gpt2_pattern, SplitPattern::Keep::all));
        } else {
            throw unsupported("the pre_tokenizer", type, step.where()).help("supported: ByteLevel, Split, Sequence");
        }
    }
    if (!byte_level) throw Error("this is not a byte-level tokenizer").at(component.where());
    return result;
}

/// A component of which only ByteLevel, or a Sequence of ByteLevel, is known.
void require_byte_level(const JsonFields& file, const std::string& name, const std::string& list) {
    for (const JsonFields& step : steps_of(file.fields(name), list)) {
        const std::string type = step.text("type");
        if (type != "ByteLevel") throw unsupported("the " + name, type, step.where()).help("supported: ByteLevel");
    }
}

std::vector<AddedToken> parse_added_tokens(const JsonFields& file) {
    std::vector<AddedToken> tokens;
    if (!file.has("added_tokens")) return tokens;
    if (file.list("added_tokens").size() > max_added_tokens) throw Error("too many added tokens").at(file.where());
    for (const auto& entry : file.list("added_tokens")) {
        const JsonFields fields(entry, fmt::format("{}.added_tokens[{}]", file.where(), tokens.size()));
        tokens.push_back(parse_added_token(fields, fields.at("id")));
    }
    return tokens;
}

}  // namespace

TokenizerRules parse_tokenizer_json(std::string_view text, const std::string& where) {
    const nlohmann::json root = parse_json_source(text, where);
    const JsonFields file(root, where);
    if (!file.has("model")) {
        throw Error("this is not a tokenizer.json: the field \"model\" is missing")
            .at(where)
            .help("give the tokenizer.json that Hugging Face's tokenizers library writes");
    }
    TokenizerRules rules;
    rules.added_tokens = parse_added_tokens(file);
    rules.normal_forms = parse_normalizer(file);
    rules.pre_tokenizer = parse_pre_tokenizer(file);
    if (file.has("post_processor")) require_byte_level(file, "post_processor", "processors");
    require_byte_level(file, "decoder", "decoders");
    parse_bpe_model(file.fields("model"), rules);
    for (const AddedToken& token : rules.added_tokens) {
        rules.vocabulary.add(token.content, token.id, where + ".added_tokens");
    }
    return rules;
}

}  // namespace minimind
