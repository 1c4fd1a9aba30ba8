// Lab of lesson 10: the logits at a position predict the token after it, and some labels do not count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "console/data_files.hpp"
#include "console/language.hpp"
#include "console/model_loading.hpp"
#include "console/text_flags.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "tokenizer/python_text.hpp"
#include "trace_loss_shift/samples.hpp"

namespace minimind {

namespace {

struct Flags {
    std::string mode = "sft";
    std::int64_t index = 0;
    std::int64_t max_length = 80;
    std::int64_t show_rows = 60;
    std::string pretrain_path;
    std::string sft_path;
    TextFlags tokenizer;

    void add(Arguments& args) {
        args.group("sample");
        args.choice("--mode", mode, {"sft", "pretrain"}, "sft: a chat, of which only the answers count");
        args.integer("--index", index, "which sample of the file", at_least(0));
        args.integer("--max_length", max_length, "ids of a sample: longer ones are cut, shorter ones padded",
                     at_least(2));
        args.integer("--show_rows", show_rows, "rows of the alignment table", at_least(0));
        args.text("--pretrain_path", pretrain_path, "a .jsonl file with {\"text\": ...} lines")
            .value_name("FILE")
            .shown_default("labs/data/tiny_pretrain.jsonl");
        args.text("--sft_path", sft_path, "a .jsonl file with {\"conversations\": [...]} lines")
            .value_name("FILE")
            .shown_default("labs/data/tiny_sft.jsonl");
        tokenizer.add_text(args);
        tokenizer.add_chat(args);
        tokenizer.add_tokenizer(args);
        args.group("");
    }

    bool is_pretraining() const { return tokenizer.text() || (mode == "pretrain" && !tokenizer.has_text()); }

    Sample sample(const Tokenizer& with) const {
        tokenizer.check();
        if (tokenizer.text()) return pretrain_sample({{"text", *tokenizer.text()}}, with, max_length);
        if (tokenizer.has_text()) return sft_sample({{"conversations", tokenizer.chat().messages}}, with, max_length);
        if (mode == "pretrain") {
            const std::string path =
                pretrain_path.empty() ? data_file("labs/data/tiny_pretrain.jsonl").string() : pretrain_path;
            return pretrain_sample(read_line(path, index), with, max_length);
        }
        const std::string path = sft_path.empty() ? data_file("labs/data/tiny_sft.jsonl").string() : sft_path;
        return sft_sample(read_line(path, index), with, max_length);
    }
};

/// The loss as a textbook has it, in double: the mean of -log softmax(logits[t])[label[t + 1]].
double loss_by_hand(const arma::fmat& logits, const TokenIds& labels) {
    double sum = 0.0;
    std::int64_t counted = 0;
    for (std::int64_t t = 0; t + 1 < labels.batch.seq; ++t) {
        const std::int64_t label = labels.at(0, t + 1);
        if (label == ignore_index) continue;
        const arma::vec scores = arma::conv_to<arma::vec>::from(logits.col(static_cast<arma::uword>(t)));
        const double largest = scores.max();
        const double log_sum = std::log(arma::accu(arma::exp(scores - largest))) + largest;
        sum += log_sum - scores[static_cast<arma::uword>(label)];
        ++counted;
    }
    return sum / static_cast<double>(counted);
}

/// A token as Python shows it; a newline is written out first, so that it cannot break a row.
std::string token_repr(const Tokenizer& tokenizer, std::int64_t id) {
    std::string text;
    for (const char c : tokenizer.decode({id})) text += c == '\n' ? std::string("\\n") : std::string(1, c);
    return python_repr(text);
}

/// Padded by code points, as Python's format does, not by terminal cells.
std::string padded(const std::string& text, std::int64_t width) {
    const std::int64_t points = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
    return text + std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, width - points)), ' ');
}

void print_alignment(const Sample& sample, const Tokenizer& tokenizer, std::int64_t rows) {
    fmt::print("\n[Shift Alignment]\n");
    fmt::print("idx | logits position input token | target label position | participates | label token\n");
    fmt::print("{:-<104}\n", "");
    const std::int64_t shifted = sample.labels.batch.seq - 1;
    for (std::int64_t t = 0; t < std::min(shifted, rows); ++t) {
        const std::int64_t id = sample.input_ids.at(0, t);
        const std::int64_t label = sample.labels.at(0, t + 1);
        const bool counts = label != ignore_index;
        fmt::print("{:03} | logits[{:03}] from input_ids[{:03}]={:5} {} | labels[{:03}]={:6} | {:<11} | {}\n", t, t, t,
                   id, padded(token_repr(tokenizer, id), 18), t + 1, label, python_bool(counts),
                   counts ? token_repr(tokenizer, label) : "'<ignored>'");
    }
}

void print_loss(const CausalLmOutput& output, const TokenIds& labels) {
    const double manual = loss_by_hand(output.logits, labels);
    const std::int64_t shifted = labels.batch.seq - 1;
    float active_sum = 0.0F;
    for (const float value : output.loss->per_token) active_sum += value;
    fmt::print("\n[Loss]\n");
    fmt::print("model_forward_loss={:.8f}\n", static_cast<float>(output.loss->mean));
    fmt::print("manual_shift_loss={:.8f}\n", static_cast<float>(manual));
    fmt::print("abs_diff={:.12f}\n", std::abs(output.loss->mean - manual));
    fmt::print("active_loss_positions={}\n", output.loss->counted);
    fmt::print("ignored_loss_positions={}\n", shifted - output.loss->counted);
    fmt::print("mean_active_per_token_loss={:.8f}\n", active_sum / static_cast<float>(output.loss->counted));
}

}  // namespace

int trace_loss_shift(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    Flags flags;
    ConsoleFlags console;
    Arguments args("trace_loss_shift", "Which logits predict which label, and which labels count (lesson 10).");
    flags.add(args);
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    console.add(args);
    args.example("minimind trace_loss_shift", "a chat: only the answer is learnt");
    args.example("minimind trace_loss_shift --text '你好，世界' --max_length 12",
                 "a text of your own, for pretraining");
    args.example("minimind trace_loss_shift --mode pretrain --index 1", "a text: everything is learnt");
    if (!args.parse(words)) return 0;

    const auto tokenizer = flags.tokenizer.required_tokenizer(model_flags.checkpoint(), "trace_loss_shift");
    model_flags.defaults.vocab_size = static_cast<std::int64_t>(tokenizer->id_limit());
    model_flags.defaults.max_position_embeddings =
        std::max(model_flags.defaults.max_position_embeddings, flags.max_length);
    const Sample sample = flags.sample(*tokenizer);
    InputFlags sizes;  // for the memory estimate
    sizes.batch_size = 1;
    sizes.seq_len = flags.max_length;
    const LoadedModel loaded = load_model(model_flags, sizes, console);

    ForwardOptions options;
    options.labels = sample.labels;
    const CausalLmOutput output = loaded.model.forward(sample.input_ids, options);
    const auto vocab_size = static_cast<std::int64_t>(output.logits.n_rows);
    const std::int64_t length = flags.max_length;
    fmt::print("[{} Source]\n{}\n", flags.is_pretraining() ? "Pretrain" : "SFT", sample.source);
    fmt::print("\n[Shapes]\n");
    fmt::print("input_ids.shape={}\n", shape_text({1, length}));
    fmt::print("labels.shape={}\n", shape_text({1, length}));
    fmt::print("logits.shape={}\n", shape_text({1, length, vocab_size}));
    fmt::print("shift_logits.shape={}\n", shape_text({1, length - 1, vocab_size}));
    fmt::print("shift_labels.shape={}\n", shape_text({1, length - 1}));
    print_loss(output, sample.labels);
    print_alignment(sample, *tokenizer, flags.show_rows);

    const Language language = console.language();
    fmt::print("\nNote:\n");
    fmt::print("{}\n",
               text(language, "The logits at t have seen the ids up to t and are scored against the label at t + 1.",
                    "位置 t 的 logits 看过 0 到 t 的 id，用来预测 t + 1 处的 label。"));
    fmt::print("{}\n\n",
               text(language, "A label of -100 does not count: padding, and in a chat whatever the user says.",
                    "label 为 -100 的位置不计入 loss：padding，以及对话中用户说的话。"));
    return 0;
}

}  // namespace minimind
