#include "lessons/worksheet_09.hpp"

#include <fmt/format.h>

#include <cmath>

#include "console/memory.hpp"
#include "model/rms_norm.hpp"
#include "random/fresh_model.hpp"
#include "trace/recorder.hpp"

namespace minimind {

namespace {

/// The stages that the answers are read off, all before block 0's attention.
bool is_read(Site site) {
    const bool is_first_norm = site.point == Point::resid_pre || site.point == Point::input_layernorm;
    return site.point == Point::embed_tokens || (is_first_norm && site.layer == 0);
}

std::vector<Record> records_of(const CausalLm& model, const TokenIds& ids) {
    Recorder recorder(is_read);
    ForwardOptions options;
    options.hook = &recorder;
    options.logits_to_keep = 1;
    static_cast<void>(model.forward(ids, options));
    return recorder.take_records();  // embed_tokens, resid_pre, input_layernorm
}

/// The ids of the labs: (b * S + s) mod V.
TokenIds lab_ids(const Sizes& sizes) {
    TokenIds ids{sizes.batch, {}};
    for (std::int64_t t = 0; t < sizes.batch.tokens(); ++t) ids.ids.push_back(t % sizes.config.vocab_size);
    return ids;
}

/// Entries in which the embeddings of one id at positions 0 and 1 differ.
std::int64_t differing_entries(const CausalLm& model) {
    const bool has_two_positions = model.config().max_position_embeddings > 1;
    const Batch batch = has_two_positions ? Batch{1, 2} : Batch{2, 1};
    const std::int64_t id = model.config().vocab_size / 2;
    const Record embedded = records_of(model, {batch, {id, id}}).front();
    const auto width = static_cast<std::size_t>(model.config().hidden_size);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < width; ++i) count += embedded.f32[i] != embedded.f32[width + i] ? 1 : 0;
    return count;
}

double rms_of(const arma::fmat& x) {
    return std::sqrt(arma::accu(arma::square(arma::conv_to<arma::mat>::from(x))) / static_cast<double>(x.n_elem));
}

/// By what the output of a norm is multiplied if its input becomes ten times as large.
double scale_of_ten(const Record& input, const arma::fmat& weight, double eps) {
    arma::fmat x(input.f32.data(), weight.n_elem, input.f32.size() / weight.n_elem);  // [B, S, H]
    x /= static_cast<float>(rms_of(x));                                               // RMS 1: far above eps
    const arma::fmat ten_times = x * 10.0F;
    return rms_of(rms_norm(ten_times, weight, eps)) / rms_of(rms_norm(x, weight, eps));
}

Lesson9Run run_of(const Sizes& sizes) {
    Workload forward;
    forward.batch = sizes.batch;
    check_memory(sizes.config, forward);
    Generator generator(sizes.seed);
    const CausalLm model = fresh_model(sizes.config, generator);
    const std::vector<Record> records = records_of(model, lab_ids(sizes));
    Lesson9Run run;
    run.differing_entries = differing_entries(model);
    run.input_rms = static_cast<double>(records[1].statistics.mean_rms);
    run.output_rms = static_cast<double>(records[2].statistics.mean_rms);
    run.scale_of_ten =
        scale_of_ten(records[1], model.model().layers.front().input_layernorm, sizes.config.rms_norm_eps);
    return run;
}

}  // namespace

std::vector<Item> worksheet_9(const Sizes& sizes) {
    const Lesson9Run run = run_of(sizes);
    const Prose prose(sizes);
    std::vector<Item> items = embedding_items(sizes, prose, run);
    for (const std::vector<Item>& part :
         {norm_items(sizes, prose, run), block_items(sizes, prose), model_items(sizes, prose)}) {
        items.insert(items.end(), part.begin(), part.end());
    }
    return items;
}

}  // namespace minimind
