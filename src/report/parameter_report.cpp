#include "report/parameter_report.hpp"

#include <fmt/format.h>

#include <vector>

#include "console/cells.hpp"
#include "console/table.hpp"
#include "core/text.hpp"
#include "io/hf_config.hpp"

namespace minimind {

namespace {

using nlohmann::ordered_json;

constexpr std::int64_t bytes_per_float = 4;

std::string share_text(std::int64_t part, std::int64_t total) {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(total));
}

struct Section {
    std::string title;
    Table table;
};

/// A count, how it comes about, and its share.
struct CountRow {
    std::string name;
    std::int64_t count;
    std::string how;
};

std::vector<CountRow> block_rows(const ParameterCounts& counts, const ModelConfig& c) {
    std::vector<CountRow> rows = {{"self_attn", counts.block.self_attn,
                                   fmt::format("2HhD + 2HkD + 2D, H={} h={} k={} D={}", c.hidden_size,
                                               c.num_attention_heads, c.num_key_value_heads, c.head_dim)}};
    if (c.use_moe) {
        rows.push_back(
            {"mlp", counts.block.mlp, fmt::format("EH + E * 3HI, E={} I={}", c.num_experts, c.moe_intermediate_size)});
        rows.push_back({"  one expert", counts.block.expert, "3HI"});
    } else {
        rows.push_back({"mlp", counts.block.mlp, fmt::format("3HI, I={}", c.intermediate_size)});
    }
    rows.push_back({"norms", counts.block.norms, "2H: input_layernorm, post_attention_layernorm"});
    rows.push_back({"block", counts.block.total(), "the sum"});
    return rows;
}

std::vector<CountRow> total_rows(const ParameterCounts& counts, const ModelConfig& c) {
    std::vector<CountRow> rows = {
        {"embed_tokens", counts.embedding, fmt::format("VH, V={} H={}", c.vocab_size, c.hidden_size)},
        {"blocks", counts.blocks, fmt::format("{} * {}", c.num_hidden_layers, with_commas(counts.block.total()))},
        {"norm", counts.final_norm, "H: the final norm"}};
    rows.push_back(
        {"lm_head", counts.lm_head, c.tie_word_embeddings ? "tied: it is embed_tokens, counted once" : "VH"});
    rows.push_back({"total", counts.total, "the sum"});
    if (c.use_moe) {
        rows.push_back({"active", counts.active,
                        fmt::format("a token uses {} of {} experts", c.num_experts_per_tok, c.num_experts)});
    }
    return rows;
}

Table count_table(const std::vector<CountRow>& rows, std::int64_t whole) {
    Table table({{"part"}, {"count", Align::right}, {"share", Align::right}, {"bytes (F32)", Align::right}, {"how"}});
    for (const CountRow& row : rows) {
        table.add_row({row.name, with_commas(row.count), share_text(row.count, whole),
                       with_commas(row.count * bytes_per_float), row.how});
    }
    return table;
}

Table parameter_table(const ModelConfig& config, std::int64_t total) {
    Table table({{"name"}, {"shape"}, {"count", Align::right}, {"share", Align::right}, {"bytes (F32)", Align::right}});
    for (const ParameterInfo& parameter : parameter_list(config)) {
        table.add_row({parameter.name, shape_text(parameter.shape), with_commas(parameter.count()),
                       share_text(parameter.count(), total), with_commas(parameter.count() * bytes_per_float)});
    }
    return table;
}

Table buffer_table(const ParameterCounts& counts) {
    Table table({{"name"}, {"shape"}, {"count", Align::right}, {"bytes (F32)", Align::right}});
    for (const Buffer& buffer : counts.buffers) {
        const std::int64_t count = element_count(buffer.shape);
        table.add_row(
            {buffer.name, shape_text(buffer.shape), with_commas(count), with_commas(count * bytes_per_float)});
    }
    return table;
}

Table work_table(const MultiplyAdds& work) {
    Table table({{"part"}, {"multiply-adds", Align::right}, {"share", Align::right}, {"how"}});
    const auto add = [&](const std::string& name, std::int64_t count, const std::string& how) {
        table.add_row({name, with_commas(count), share_text(count, work.total()), how});
    };
    add("q, k, v, o", work.projections, "L * (2HhD + 2HkD)");
    add("QK^T", work.scores, fmt::format("L * hD for each of {} keys", work.keys));
    add("AV", work.values, fmt::format("L * hD for each of {} keys", work.keys));
    add("mlp", work.mlp, "L * the weights that a token uses");
    add("lm_head", work.lm_head, "VH, tied or not");
    add("total", work.total(), "the sum");
    return table;
}

std::vector<Section> sections(const ParameterReport& report) {
    const auto& [config, keys, language] = report;
    const ParameterCounts counts = count_parameters(config);
    return {
        {minimind::text(language, "Parameters", "参数"), parameter_table(config, counts.total)},
        {minimind::text(language, "One block", "一个 block"),
         count_table(block_rows(counts, config), counts.block.total())},
        {minimind::text(language, "Total", "总计"), count_table(total_rows(counts, config), counts.total)},
        {minimind::text(language, "Multiply-adds of one token", "一个 token 的乘加次数"),
         work_table(count_multiply_adds(config, keys))},
        {minimind::text(language, "Buffers (computed, never saved or trained)", "buffer（由配置算出，不保存也不训练）"),
         buffer_table(counts)}};
}

std::string closing(const ParameterReport& report) {
    const ParameterCounts counts = count_parameters(report.config);
    const std::string note = quoted_count_note(counts, report.language);
    std::string result = trainer_line(counts) + "\n";
    for (const std::string& line : wrap(note, 100)) result += line + "\n";
    return result;
}

ordered_json block_json(const BlockCounts& block) {
    ordered_json json = {
        {"self_attn", block.self_attn}, {"mlp", block.mlp}, {"norms", block.norms}, {"total", block.total()}};
    if (block.expert > 0) json["expert"] = block.expert;
    return json;
}

ordered_json parameters_json(const ModelConfig& config, std::int64_t total) {
    ordered_json list = ordered_json::array();
    for (const ParameterInfo& parameter : parameter_list(config)) {
        list.push_back({{"name", parameter.name},
                        {"shape", parameter.shape},
                        {"count", parameter.count()},
                        {"share", static_cast<double>(parameter.count()) / static_cast<double>(total)},
                        {"bytes", parameter.count() * bytes_per_float}});
    }
    return list;
}

}  // namespace

std::string ParameterReport::text() const {
    std::string result;
    for (const Section& section : sections(*this))
        result += fmt::format("[{}]\n{}\n", section.title, section.table.text());
    return result + closing(*this);
}

std::string ParameterReport::markdown() const {
    std::string result;
    for (const Section& section : sections(*this)) {
        result += fmt::format("## {}\n\n{}\n", section.title, section.table.markdown());
    }
    return result + closing(*this);
}

std::string ParameterReport::csv() const {
    const std::int64_t total = parameter_count(config);
    Table table({{"name"}, {"shape"}, {"count"}, {"share"}, {"bytes"}});
    for (const ParameterInfo& parameter : parameter_list(config)) {
        const double share = static_cast<double>(parameter.count()) / static_cast<double>(total);
        table.add_row({parameter.name, shape_text(parameter.shape), std::to_string(parameter.count()),
                       fmt::format("{:.6g}", share), std::to_string(parameter.count() * bytes_per_float)});
    }
    return table.csv();
}

ordered_json ParameterReport::json() const {
    const ParameterCounts counts = count_parameters(config);
    const MultiplyAdds work = count_multiply_adds(config, keys);
    ordered_json buffers = ordered_json::array();
    for (const Buffer& buffer : counts.buffers) {
        const std::int64_t count = element_count(buffer.shape);
        buffers.push_back(
            {{"name", buffer.name}, {"shape", buffer.shape}, {"count", count}, {"bytes", count * bytes_per_float}});
    }
    ordered_json blocks = ordered_json::array();
    for (std::int64_t layer = 0; layer < config.num_hidden_layers; ++layer) {
        ordered_json block = {{"layer", layer}};
        block.update(block_json(counts.block));
        blocks.push_back(block);
    }
    ordered_json json = {{"schema_version", 1},
                         {"config", to_json(config)},
                         {"parameters", parameters_json(config, counts.total)},
                         {"blocks", blocks},
                         {"totals",
                          {{"embed_tokens", counts.embedding},
                           {"blocks", counts.blocks},
                           {"norm", counts.final_norm},
                           {"lm_head", counts.lm_head},
                           {"total", counts.total},
                           {"active", counts.active},
                           {"bytes", counts.total * bytes_per_float}}},
                         {"multiply_adds_per_token",
                          {{"projections", work.projections},
                           {"qk", work.scores},
                           {"av", work.values},
                           {"mlp", work.mlp},
                           {"lm_head", work.lm_head},
                           {"total", work.total()},
                           {"keys", work.keys}}},
                         {"buffers", buffers},
                         {"trainer_line", trainer_line(counts)}};
    const std::string note = quoted_count_note(counts, language);
    if (!note.empty()) json["note"] = note;
    return json;
}

std::string quoted_count_note(const ParameterCounts& counts, Language language) {
    if (counts.total != 63'912'192) return "";
    return minimind::text(
        language,
        "63.88M, the figure often quoted for this model, adds up rounded parts: 4.92M + 8 * 7.37M. Without any norm "
        "the count is 63,897,600; with the 33 norms it is 63,912,192, which the trainer rounds to 63.91M.",
        "常被引用的 63.88M 是把四舍五入后的各部分相加：4.92M + 8 × 7.37M。不计任何 norm 时是 63,897,600；"
        "加上 33 个 norm 才是准确值 63,912,192，训练脚本把它显示为 63.91M。");
}

}  // namespace minimind
