#include "report/sampling_report.hpp"

#include <fmt/format.h>

#include "console/cells.hpp"
#include "console/table.hpp"
#include "generate/logit_filters.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

float value_at(const arma::fvec& values, std::int64_t id) {
    return values(static_cast<arma::uword>(id));
}

/// One filter: its flag, its value, whether it does something, and the scores after it.
struct Filter {
    const char* name;
    double value;
    bool is_on;
    const arma::fvec& scores;
};

std::vector<Filter> filters(const SampledToken& token, const SamplingSettings& settings) {
    return {{"temperature", settings.temperature, settings.temperature != 1.0, token.after_temperature},
            {"repetition_penalty", settings.repetition_penalty, settings.repetition_penalty != 1.0,
             token.after_repetition_penalty},
            {"top_k", static_cast<double>(settings.top_k), settings.top_k > 0, token.after_top_k},
            {"top_p", settings.top_p, settings.top_p < 1.0, token.after_top_p}};
}

/// At most `limit` of the tokens that remain, the likeliest first.
std::vector<std::int64_t> first_candidates(const arma::fvec& scores, std::int64_t limit) {
    std::vector<std::int64_t> ids = candidates(scores);
    if (std::ssize(ids) > limit) ids.resize(static_cast<std::size_t>(limit));
    return ids;
}

Json token_text(const Tokenizer* tokenizer, std::int64_t id) {
    if (tokenizer == nullptr || !tokenizer->has(id)) return nullptr;
    return replace_invalid_utf8(tokenizer->token_bytes(id));
}

std::string indented(const std::string& lines) {
    std::string result;
    bool at_start = true;
    for (const char c : lines) {
        if (at_start && c != '\n') result += "  ";
        result += c;
        at_start = c == '\n';
    }
    return result;
}

}  // namespace

std::string quoted_token(const Tokenizer* tokenizer, std::int64_t id) {
    if (tokenizer == nullptr || !tokenizer->has(id)) return "";
    return "\"" + visible(tokenizer->token_bytes(id)) + "\"";
}

std::string SamplingReport::text(std::int64_t limit) const {
    Table stages({{"scores"}, {"remaining", Align::right}, {"largest", Align::right}, {"id", Align::right}, {"text"}});
    const auto add_stage = [&](const std::string& name, const arma::fvec& scores) {
        const auto best = static_cast<std::int64_t>(scores.index_max());
        stages.add_row({name, std::to_string(candidate_count(scores)), fmt::format("{:.4f}", scores.max()),
                        std::to_string(best), quoted_token(tokenizer, best)});
    };
    add_stage("logits", token.logits);
    for (const Filter& filter : filters(token, settings)) {
        add_stage(fmt::format("{} {:g}{}", filter.name, filter.value, filter.is_on ? "" : " (off)"), filter.scores);
    }
    Table chosen({{"candidate", Align::right}, {"probability", Align::right}, {"score", Align::right}, {"text"}});
    const std::vector<std::int64_t> shown = first_candidates(token.after_top_p, limit);
    for (const std::int64_t id : shown) {
        chosen.add_row({std::to_string(id), fmt::format("{:.6f}", value_at(token.probabilities, id)),
                        fmt::format("{:.4f}", value_at(token.after_top_p, id)), quoted_token(tokenizer, id)});
    }
    const std::int64_t more = candidate_count(token.after_top_p) - std::ssize(shown);
    std::string result = fmt::format("step {}, row {}\n{}", step, row, indented(stages.text() + chosen.text()));
    if (more > 0) result += fmt::format("  ... {} more\n", more);
    result += fmt::format("  {} {} {} (probability {:.6f})\n", settings.greedy ? "largest:" : "drawn:", token.id,
                          quoted_token(tokenizer, token.id), value_at(token.probabilities, token.id));
    if (appended != token.id) result += fmt::format("  the row is finished, so {} is appended\n", appended);
    return result;
}

nlohmann::ordered_json SamplingReport::json(std::int64_t limit) const {
    Json result = {{"step", step}, {"row", row}};
    result["logits"] = Json::array();
    for (const std::int64_t id : first_candidates(token.logits, limit)) {
        result["logits"].push_back(
            {{"id", id}, {"text", token_text(tokenizer, id)}, {"logit", value_at(token.logits, id)}});
    }
    result["filters"] = Json::array();
    for (const Filter& filter : filters(token, settings)) {
        result["filters"].push_back({{"name", filter.name},
                                     {"value", filter.value},
                                     {"is_on", filter.is_on},
                                     {"remaining", candidate_count(filter.scores)}});
    }
    result["candidates"] = Json::array();
    for (const std::int64_t id : first_candidates(token.after_top_p, limit)) {
        result["candidates"].push_back({{"id", id},
                                        {"text", token_text(tokenizer, id)},
                                        {"score", value_at(token.after_top_p, id)},
                                        {"probability", value_at(token.probabilities, id)}});
    }
    result["id"] = token.id;
    result["text"] = token_text(tokenizer, token.id);
    result["appended"] = appended;
    return result;
}

}  // namespace minimind
