// Lab of lesson 10: the logits at a position predict the token after it, and some labels do not count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "console/errors.hpp"
#include "console/model_loading.hpp"
#include "core/text.hpp"
#include "labs.hpp"
#include "report/lab_output.hpp"
#include "tokenizer/python_text.hpp"
#include "trace_loss_shift/explanations.hpp"
#include "trace_loss_shift/samples.hpp"

namespace minimind {

namespace {

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
    return counted > 0 ? sum / static_cast<double>(counted) : std::nan("");
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

void show_shapes(LabOutput& out, std::int64_t length, std::int64_t vocab_size) {
    out.section("Shapes");
    out.shape("input_ids", {1, length});
    out.shape("labels", {1, length});
    out.shape("logits", {1, length, vocab_size});
    out.shape("shift_logits", {1, length - 1, vocab_size});
    out.shape("shift_labels", {1, length - 1});
}

void show_loss(LabOutput& out, const CausalLmOutput& output, const TokenIds& labels) {
    const Loss& loss = *output.loss;
    const double manual = loss_by_hand(output.logits, labels);
    const float active_sum = std::accumulate(loss.per_token.begin(), loss.per_token.end(), 0.0F);
    const float active_mean = loss.counted > 0 ? active_sum / static_cast<float>(loss.counted) : std::nanf("");
    const auto show = [&out](const char* key, float value) { out.value(key, value, fmt::format("{:.8f}", value)); };
    out.section("Loss");
    show("model_forward_loss", static_cast<float>(loss.mean));
    show("manual_shift_loss", static_cast<float>(manual));
    const double difference = std::abs(loss.mean - manual);
    out.value("abs_diff", difference, fmt::format("{:.12f}", difference));
    out.value("active_loss_positions", loss.counted);
    out.value("ignored_loss_positions", labels.batch.seq - 1 - loss.counted);
    show("mean_active_per_token_loss", active_mean);
}

void show_alignment(LabOutput& out, const Sample& sample, const Tokenizer& tokenizer, std::int64_t rows) {
    out.section("Shift Alignment");
    out.line("idx | logits position input token | target label position | participates | label token");
    out.line(std::string(104, '-'));
    const std::int64_t shifted = sample.labels.batch.seq - 1;
    for (std::int64_t t = 0; t < std::min(shifted, rows); ++t) {
        const std::int64_t id = sample.input_ids.at(0, t);
        const std::int64_t label = sample.labels.at(0, t + 1);
        const bool counts = label != ignore_index;
        LabOutput::Json row = {{"position", t},           {"input_id", id}, {"input_token", tokenizer.decode({id})},
                               {"label_position", t + 1}, {"label", label}, {"participates", counts},
                               {"label_token", nullptr}};
        if (counts) row["label_token"] = tokenizer.decode({label});
        out.row(fmt::format("{:03} | logits[{:03}] from input_ids[{:03}]={:5} {} | labels[{:03}]={:6} | {:<11} | {}", t,
                            t, t, id, padded(token_repr(tokenizer, id), 18), t + 1, label, python_bool(counts),
                            counts ? token_repr(tokenizer, label) : "'<ignored>'"),
                row);
    }
}

void show_note(LabOutput& out) {
    out.section_headed("Note:", "Note");
    out.note({"The logits at t have seen the ids up to t and are scored against the label at t + 1.",
              "位置 t 的 logits 看过 0 到 t 的 id，用来预测 t + 1 处的 label。"});
    out.note({"A label of -100 does not count: padding, and in a chat whatever the user says.",
              "label 为 -100 的位置不计入 loss：padding，以及对话中用户说的话。"});
    out.end_section();
    out.line("");
}

}  // namespace

int trace_loss_shift(const std::vector<std::string>& words) {
    ModelFlags model_flags;
    SampleFlags flags;
    LabFlags lab_flags;
    Arguments args("trace_loss_shift", "Which logits predict which label, and which labels count (lesson 10).");
    flags.add(args);
    model_flags.add_sizes(args);
    model_flags.add_weights(args);
    model_flags.add_checkpoint(args);
    lab_flags.add(args);
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
    const LoadedModel loaded = load_model(model_flags, sizes, lab_flags.console);

    ForwardOptions options;
    options.labels = sample.labels;
    const CausalLmOutput output = loaded.model.forward(sample.input_ids, options);
    const std::int64_t counted = output.loss->counted;
    if (counted == 0) print_note("no label counts, so the loss is NaN", lab_flags.console.color());

    LabOutput out("trace_loss_shift", lab_flags);
    out.explain_with(explain_loss_shift(loaded.model.config(), sample.labels.batch, counted));
    out.section(flags.is_pretraining() ? "Pretrain Source" : "SFT Source");
    out.values(sample.source, {{"text", sample.source}});
    show_shapes(out, flags.max_length, static_cast<std::int64_t>(output.logits.n_rows));
    show_loss(out, output, sample.labels);
    show_alignment(out, sample, *tokenizer, flags.show_rows);
    show_note(out);
    out.finish();
    return 0;
}

}  // namespace minimind
