// `minimind generate`: text from a prompt, each choice of a token shown if asked.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate_session.hpp"
#include "console/model_loading.hpp"
#include "console/text_flags.hpp"
#include "core/error.hpp"
#include "report/trace_dump.hpp"

namespace minimind {

namespace {

struct GenerateFlags {
    SamplingSettings sampling;
    std::int64_t max_new_tokens = 512;
    bool eos_is_given = false;
    std::optional<std::int64_t> eos;
    bool use_cache = true;
    bool open_thinking = false;
    std::string format = "text";
    bool trace_sampling = false;
    std::string dump;
    bool force = false;

    void add(Arguments& args) {
        args.group("sampling");
        args.real("--temperature", sampling.temperature, "the logits are divided by it");
        args.real("--repetition_penalty", sampling.repetition_penalty, "above 1: ids of the row become less likely");
        args.integer("--top_k", sampling.top_k, "only the N largest scores remain; 0: all");
        args.real("--top_p", sampling.top_p, "only the likeliest tokens that add up to X remain; 1: all");
        args.flag("--greedy", sampling.greedy, "the largest score, nothing is drawn");
        args.group("generation");
        args.integer("--max_new_tokens", max_new_tokens, "at most this many tokens", at_least(0));
        const auto read_eos = [this](const std::string& text) {
            eos_is_given = true;
            eos = text == "none" ? std::nullopt : std::optional(read_integer(text, at_least(0)));
        };
        args.value("--eos", read_eos, "the token that ends a row, or none")
            .value_name("ID|none")
            .shown_default("the model's, 2");
        args.zero_one("--use_cache", use_cache, "compute each token once, or all of them at every step");
        args.flag("--open_thinking", open_thinking, "in a conversation: the answer begins inside <think>");
        args.group("what is shown");
        args.choice("--format", format, {"text", "json"}, "json: ids (with the prompt) and text, one a row");
        args.flag("--trace_sampling", trace_sampling, "each step: logits, filters, candidates, choice");
        args.text("--dump", dump, "write every stage of every step to DIR/step000, step001, ...").value_name("DIR");
        args.flag("--force", force, "with --dump: replace a dump that is there");
        args.group("");
    }

    GenerationSettings settings(const ModelConfig& config, const TokenInput* input) const {
        GenerationSettings result;
        result.max_new_tokens = max_new_tokens;
        result.eos = eos_is_given ? eos : std::optional(config.eos_token_id);
        result.use_cache = use_cache;
        if (input != nullptr) result.attention_mask = input->attention_mask;
        if (eos_is_given && eos && *eos >= config.vocab_size) {
            throw Error(fmt::format("token id {} is not in the vocabulary", *eos))
                .at(fmt::format("--eos {}", *eos))
                .help(fmt::format("use an id from 0 to {}, or none", config.vocab_size - 1));
        }
        return result;
    }
};

/// What can be said before the model is loaded.
void check(const GenerateFlags& flags, const InputFlags& input) {
    check_settings(flags.sampling);
    input.text().check();
    if (!input.has_ids() && !input.text().has_text() && !input.text().is_interactive()) {
        throw Error("there is no prompt")
            .at("minimind generate")
            .help("give --text TEXT, --chat FILE.json or --input_ids 1,2,3; --chat alone is a conversation");
    }
    if (flags.force && flags.dump.empty()) {
        throw Error("there is no dump to write").at("--force").help("add --dump DIR");
    }
    if (!input.text().is_interactive()) {
        if (!flags.open_thinking) return;
        throw Error("--open_thinking is for a conversation, --chat without a file")
            .at("--open_thinking")
            .help("in a chat file write \"open_thinking\": true beside \"messages\"");
    }
    if (input.has_ids()) throw Error("--input_ids cannot be combined with --chat").at("--chat");
    if (flags.format == "json" || !flags.dump.empty()) {
        throw Error("a conversation has neither JSON nor a dump")
            .at(flags.format == "json" ? "--format json" : "--dump " + flags.dump)
            .help("give the chat as a file: --chat FILE.json");
    }
}

/// The tokenizer for the output. Without one there is JSON, with ids alone.
std::shared_ptr<const Tokenizer> output_tokenizer(const InputFlags& input, const CheckpointPath& checkpoint,
                                                  bool is_json) {
    if (input.tokenizer()) return input.tokenizer();
    if (is_json) return input.text().tokenizer(checkpoint);
    if (input.text().is_interactive()) return input.text().required_tokenizer(checkpoint, "--chat");
    return input.text().required_tokenizer(checkpoint, "text output",
                                           "--format json shows the ids, which need no tokenizer");
}

}  // namespace

int generate_command(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    InputFlags input_flags;
    input_flags.batch_size = 1;
    input_flags.seq_len = 1;
    GenerateFlags flags;
    ConsoleFlags console;
    Arguments args("generate", "Text from a prompt, token by token, each choice shown if asked.");
    input_flags.add_text(args, true);
    input_flags.add_ids(args);
    input_flags.add_attention_mask(args);
    flags.add(args);
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    console.add(args);
    args.example("minimind generate --checkpoint DIR --text '你好'", "your own model goes on with a text");
    args.example("minimind generate --checkpoint DIR --chat", "a conversation; /exit ends it");
    args.example("minimind generate --text hello --max_new_tokens 3 --trace_sampling", "how each token is chosen");
    args.example("minimind generate --input_ids '1,2;3,4' --greedy --format json", "ids in, ids out");
    if (!args.parse(words)) return 0;
    check(flags, input_flags);

    const CheckpointPath& checkpoint = model_flags.checkpoint();
    const bool is_json = flags.format == "json";
    input_flags.read_text(checkpoint);  // before the model is loaded: a missing tokenizer is known at once
    const std::shared_ptr<const Tokenizer> tokenizer = output_tokenizer(input_flags, checkpoint, is_json);
    const LoadedModel loaded = load_model(model_flags, input_flags, console);
    const ModelConfig& config = loaded.model.config();
    const GenerateOutput output{is_json, flags.trace_sampling, flags.dump};
    const auto session = [&](const TokenInput* input) {
        return GenerateSession(loaded, tokenizer, flags.settings(config, input), flags.sampling, model_flags.seed,
                               output, console);
    };
    if (input_flags.text().is_interactive()) {
        GenerateSession conversation = session(nullptr);
        return chat_loop(conversation, flags.open_thinking, console);
    }
    const TokenInput input = input_flags.tokens(config);
    if (!flags.dump.empty()) prepare_dump(flags.dump, flags.force);
    GenerateSession generation = session(&input);
    generation.run(input.ids);
    generation.print_speed();
    return generation.was_interrupted() ? exit_interrupted : 0;
}

}  // namespace minimind
