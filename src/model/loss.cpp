#include "model/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/threads.hpp"

namespace minimind {

namespace {

/// -log softmax(logits)[label] = log(sum(exp(logits - max))) + max - logits[label]
float cross_entropy(const float* logits, std::int64_t vocab, std::int64_t label) {
    const float largest = *std::max_element(logits, logits + vocab);
    double sum = 0.0;
    for (std::int64_t i = 0; i < vocab; ++i) sum += static_cast<double>(std::exp(logits[i] - largest));
    return static_cast<float>(std::log(sum)) + (largest - logits[label]);
}

}  // namespace

void check_labels(const TokenIds& labels, std::int64_t vocab) {
    for (std::int64_t b = 0; b < labels.batch.batch; ++b) {
        for (std::int64_t s = 0; s < labels.batch.seq; ++s) {
            const std::int64_t label = labels.at(b, s);
            if (label == ignore_index || (label >= 0 && label < vocab)) continue;
            throw Error(fmt::format("label {} is not in the vocabulary", label))
                .at(fmt::format("position {} of row {}", s, b))
                .help(fmt::format("use labels from 0 to {}, or -100 for a position that does not count", vocab - 1));
        }
    }
}

Loss shifted_cross_entropy(const arma::fmat& logits, const TokenIds& labels, const StageTrace& trace) {
    const auto vocab = static_cast<std::int64_t>(logits.n_rows);
    const std::int64_t batch = labels.batch.batch;
    const std::int64_t seq = labels.batch.seq;
    const std::int64_t shifted = seq - 1;  // the last logits and the first label have no partner

    std::vector<std::int64_t> shift_labels;  // [B, S-1]
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t s = 1; s < seq; ++s) shift_labels.push_back(labels.at(b, s));
    }
    const TensorView shift_logits(logits.memptr(), {{batch, seq * vocab, 1}, {shifted, vocab, 1}, {vocab, 1, 1}});
    trace.view(Point::shift_logits, shift_logits);                                            // [B, S-1, V]
    trace.view(Point::shift_labels, TensorView(shift_labels.data(), Shape{batch, shifted}));  // [B, S-1]

    Loss loss;
    loss.per_token.resize(shift_labels.size());
    parallel_for(batch * shifted, batch * shifted * vocab, [&](std::int64_t i) {
        const auto place = static_cast<std::size_t>(i);
        const auto column = static_cast<arma::uword>(i / shifted * seq + i % shifted);
        const std::int64_t label = shift_labels[place];
        loss.per_token[place] = label == ignore_index ? 0.0F : cross_entropy(logits.colptr(column), vocab, label);
    });
    trace.view(Point::per_token_loss, TensorView(loss.per_token.data(), Shape{batch, shifted}));  // [B, S-1]

    double sum = 0.0;
    for (const float value : loss.per_token) sum += static_cast<double>(value);
    loss.counted = std::ssize(shift_labels) - std::count(shift_labels.begin(), shift_labels.end(), ignore_index);
    loss.mean = loss.counted == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(loss.counted);
    const auto mean = static_cast<float>(loss.mean);
    trace.view(Point::loss, TensorView(&mean, Shape{}));  // []
    return loss;
}

}  // namespace minimind
