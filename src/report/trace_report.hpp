// What a trace shows: the forward pass as a whole, and its stages one a line, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "console/terminal.hpp"
#include "model/causal_lm.hpp"
#include "tokenizer/tokenizer.hpp"
#include "trace/recorder.hpp"

namespace minimind {

/// One forward pass that was watched.
struct TracedPass {
    const CausalLm& model;
    TokenIds input_ids;     // the tokens of this pass, without the cached ones
    std::int64_t past = 0;  // cached positions before them
    std::string weights;    // where the weights come from: "seed 42" or a checkpoint's path
    std::optional<Loss> loss;
    std::optional<double> aux_loss;  // if training
    std::vector<Record> records;
    std::string checksum = {};                              // weights_checksum(model) if it is known already
    std::vector<std::vector<std::string>> token_text = {};  // [B][S], what stands at each position; empty if unknown
};

/// The text of every token.
std::vector<std::vector<std::string>> token_texts(const Tokenizer& tokenizer, const TokenIds& ids);

struct TraceFormat {
    bool with_statistics = false;
    std::int64_t values = 0;  // how many of the first values to show
};

std::string trace_text(const TracedPass& pass, const TraceFormat& format, const Paint& paint);

/// The schema of trace.json and of --format json; docs/trace-json.md describes it. With `values` each hook carries its
/// first values.
nlohmann::ordered_json trace_json(const TracedPass& pass, std::int64_t values);

/// mean, std, min, max, rms, mean_rms, and how many are NaN and infinite. NaN and infinity have no number in JSON: they
/// are the strings that Python's float() reads.
nlohmann::ordered_json statistics_json(const Statistics& statistics);

/// The symbol of each axis of a stage: {"B", "S", "H"}.
std::vector<std::string> axis_names(Point point);

/// 64-bit FNV-1a over all parameters in order, each float taken as one 32-bit word, as 16 hexadecimal digits: two dumps with the same one have equal weights.
std::string weights_checksum(const CausalLm& model);

}  // namespace minimind
