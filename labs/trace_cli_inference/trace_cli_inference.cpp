// Lab of lesson 3: what happens between a question on the command line and the answer: the chat becomes a prompt, the
// prompt becomes ids, the ids become logits, and the logits of the last position become the next token, again and again.
#include "console/model_loading.hpp"
#include "console/text_flags.hpp"
#include "core/error.hpp"
#include "generate/generation.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "tokenizer/python_text.hpp"
#include "trace_cli_inference/explanations.hpp"

namespace minimind {

namespace {

constexpr std::size_t shown_ids = 20;

struct Flags {
    std::string text = "MiniMind 是什么？";
    bool open_thinking = false;
    std::int64_t max_new_tokens = 8;
    TextFlags input;

    void add(Arguments& args) {
        args.group("input");
        args.text("--text", text, "what the user says");
        args.flag("--open_thinking", open_thinking, "the answer begins inside <think>");
        input.add_chat(args);
        input.add_tokenizer(args);
        args.integer("--max_new_tokens", max_new_tokens, "at most this many tokens", at_least(0));
        args.group("");
    }

    std::string prompt(const Tokenizer& tokenizer) const {
        Chat chat = input.has_text() ? input.chat() : user_chat(text);
        if (open_thinking) chat.open_thinking = true;
        return tokenizer.render_chat(chat);
    }
};

void show_prompt(LabOutput& out, const std::string& prompt, const TokenIds& input_ids) {
    const std::int64_t seq = input_ids.batch.seq;
    std::vector<std::int64_t> first = input_ids.ids;
    first.resize(std::min(first.size(), shown_ids));
    out.section("Prompt");
    out.values(prompt, {{"prompt", prompt}});
    out.section("Encoded");
    out.shape("input_ids", {1, seq});
    out.shape("attention_mask", {1, seq});
    out.value("first_20_input_ids", first);
}

void trace_forward(LabOutput& out, const CausalLm& model, const TokenIds& input_ids) {
    const arma::fmat logits = model.forward(input_ids).logits;  // [1, S, V]
    const auto vocab_size = static_cast<std::int64_t>(logits.n_rows);
    out.section("Forward");
    out.shape("logits", {1, static_cast<std::int64_t>(logits.n_cols), vocab_size});
    out.shape("last_position_logits", {1, vocab_size});
}

void trace_generation(LabOutput& out, const CausalLm& model, const Tokenizer& tokenizer, const TokenIds& input_ids,
                      std::int64_t max_new_tokens) {
    SamplingSettings sampling;
    sampling.greedy = true;
    Sampler sampler(sampling, 0);  // nothing is drawn, so the seed does not matter
    GenerationSettings settings;
    settings.max_new_tokens = max_new_tokens;
    const std::optional<SpecialToken>& eos = tokenizer.special_tokens().eos;
    settings.eos = eos ? eos->id : model.config().eos_token_id;
    const Generation result = generate(model, input_ids, settings, sampler);

    const std::vector<std::int64_t> new_ids = result.ids.positions(input_ids.batch.seq, result.new_tokens).ids;
    const std::string new_text = tokenizer.decode(new_ids, true);
    out.section("Generate");
    out.shape("generated_ids", {1, result.ids.batch.seq});
    out.value("new_token_ids", new_ids);
    out.value("decoded_new_text", new_text, python_repr(new_text));
}

}  // namespace

int trace_cli_inference(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    model_flags.defaults.hidden_size = 128;
    model_flags.defaults.num_hidden_layers = 1;
    model_flags.defaults.max_position_embeddings = 512;
    Flags flags;
    LabFlags lab_flags;
    Arguments args("trace_cli_inference", "From a question to an answer: prompt, ids, logits, new tokens (lesson 3).");
    flags.add(args);
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    lab_flags.add(args);
    args.example("minimind trace_cli_inference", "the course's model, which has learnt nothing");
    args.example("minimind trace_cli_inference --checkpoint DIR --text '你好'", "a trained one");
    if (!args.parse(words)) return 0;
    if (args.given("--text") && flags.input.has_text()) {
        throw Error("--text cannot be combined with --chat").at("--chat").help("leave out one of them");
    }

    const auto tokenizer = flags.input.required_tokenizer(model_flags.checkpoint(), "trace_cli_inference");
    model_flags.defaults.vocab_size = static_cast<std::int64_t>(tokenizer->id_limit());
    const std::string prompt = flags.prompt(*tokenizer);
    const TokenIds input_ids = one_row(tokenizer->encode(prompt, "--text"), "the prompt");
    InputFlags sizes;  // for the memory estimate
    sizes.batch_size = 1;
    sizes.seq_len = input_ids.batch.seq;
    const LoadedModel loaded = load_model(model_flags, sizes, lab_flags.console);

    LabOutput out("trace_cli_inference", lab_flags);
    out.explain_with(explain_cli_inference(loaded.model.config(), input_ids.batch, !model_flags.checkpoint()));
    show_prompt(out, prompt, input_ids);
    trace_forward(out, loaded.model, input_ids);
    trace_generation(out, loaded.model, *tokenizer, input_ids, flags.max_new_tokens);
    out.section_headed("", "Note");
    out.note({"Every step asks for the logits of the last position only: they score the next token.",
              "每一步只用最后一个位置的 logits：它们给下一个 token 打分。"});
    out.finish();
    return 0;
}

}  // namespace minimind
