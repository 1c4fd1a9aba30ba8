#include "report/trace_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "console/cells.hpp"
#include "io/hf_config.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

using nlohmann::ordered_json;

/// NaN and infinity have no number in JSON: they are the strings that Python's float() reads.
ordered_json number(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

ordered_json rows_of(const TokenIds& ids) {
    ordered_json rows = ordered_json::array();
    for (std::int64_t b = 0; b < ids.batch.batch; ++b) {
        ordered_json row = ordered_json::array();
        for (std::int64_t s = 0; s < ids.batch.seq; ++s) row.push_back(ids.at(b, s));
        rows.push_back(row);
    }
    return rows;
}

ordered_json first_values(const Record& record, std::int64_t count) {
    ordered_json values = ordered_json::array();
    if (record.dtype == Dtype::i64) {
        for (std::int64_t i = 0; i < std::min(count, std::ssize(record.i64)); ++i) {
            values.push_back(record.i64[static_cast<std::size_t>(i)]);
        }
        return values;
    }
    for (std::int64_t i = 0; i < std::min(count, std::ssize(record.f32)); ++i) {
        values.push_back(number(static_cast<double>(record.f32[static_cast<std::size_t>(i)])));
    }
    return values;
}

ordered_json record_json(const Record& record, std::int64_t values) {
    ordered_json entry = {{"name", site_name(record.site)},
                          {"alias", site_alias(record.site)},
                          {"shape", record.shape},
                          {"axes", axis_names(record.site.point)},
                          {"dtype", record.dtype == Dtype::f32 ? "F32" : "I64"},
                          {"statistics", statistics_json(record.statistics)}};
    if (values > 0) entry["values"] = first_values(record, values);
    return entry;
}

std::string statistics_text(const Statistics& s) {
    std::string text =
        fmt::format("mean={:.6f} std={:.6f} min={:.6f} max={:.6f} rms={:.6f}", s.mean, s.std, s.min, s.max, s.rms);
    if (s.nan_count > 0) text += fmt::format(" nan={}", s.nan_count);
    if (s.pos_inf_count > 0) text += fmt::format(" inf={}", s.pos_inf_count);
    if (s.neg_inf_count > 0) text += fmt::format(" -inf={}", s.neg_inf_count);
    return text;
}

std::string values_text(const Record& record, std::int64_t count) {
    std::string text;
    const std::int64_t total = element_count(record.shape);
    const std::int64_t shown = std::min(count, total);
    for (std::int64_t i = 0; i < shown; ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (i > 0) text += " ";
        text += record.dtype == Dtype::i64 ? fmt::format("{}", record.i64[place])
                                           : fmt::format("{:.6g}", record.f32[place]);
    }
    return shown < total ? text + " ..." : text;
}

/// "S of row 0: 0 '<|im_start|>'  1 'Hello'": what stands at each position.
std::string positions_text(const TracedPass& pass) {
    std::string text;
    for (std::size_t b = 0; b < pass.token_text.size(); ++b) {
        text += fmt::format("S of row {}:", b);
        for (std::size_t s = 0; s < pass.token_text[b].size(); ++s) {
            text +=
                fmt::format("  {} {}", pass.past + static_cast<std::int64_t>(s), python_repr(pass.token_text[b][s]));
        }
        text += "\n";
    }
    return text.empty() ? text : text + "\n";
}

/// "[B=2, S=6, H=64]"
std::string named_shape(const Record& record) {
    const std::vector<std::string> axes = axis_names(record.site.point);
    std::string text = "[";
    for (std::size_t i = 0; i < record.shape.size(); ++i) {
        text += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes.at(i), record.shape[i]);
    }
    return text + "]";
}

}  // namespace

ordered_json statistics_json(const Statistics& s) {
    return {{"mean", number(s.mean)}, {"std", number(s.std)},   {"min", number(s.min)},
            {"max", number(s.max)},   {"rms", number(s.rms)},   {"mean_rms", number(static_cast<double>(s.mean_rms))},
            {"nan", s.nan_count},     {"inf", s.pos_inf_count}, {"-inf", s.neg_inf_count}};
}

std::vector<std::string> axis_names(Point point) {
    std::istringstream words{std::string(info(point).axes)};
    return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::vector<std::string>> token_texts(const Tokenizer& tokenizer, const TokenIds& ids) {
    std::vector<std::vector<std::string>> texts(static_cast<std::size_t>(ids.batch.batch));
    for (std::int64_t b = 0; b < ids.batch.batch; ++b) {
        for (const std::int64_t id : ids.row(b)) texts[static_cast<std::size_t>(b)].push_back(tokenizer.decode({id}));
    }
    return texts;
}

std::string weights_checksum(const CausalLm& model) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const arma::fmat* parameter : model.parameters()) {
        for (const float value : *parameter) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3U;
        }
    }
    return fmt::format("{:016x}", hash);
}

std::string trace_text(const TracedPass& pass, const TraceFormat& format, const Paint& paint) {
    std::size_t name_width = 0;
    std::size_t shape_width = 0;
    for (const Record& record : pass.records) {
        name_width = std::max(name_width, site_name(record.site).size());
        shape_width = std::max(shape_width, named_shape(record).size());
    }
    std::string text = positions_text(pass);
    int layer = pass.records.empty() ? -1 : pass.records.front().site.layer;
    for (const Record& record : pass.records) {
        if (record.site.layer != layer) text += "\n";  // a free line around each block
        layer = record.site.layer;
        text += fmt::format("{}  {}  mean_rms={:.6f}", pad_right(site_name(record.site), name_width),
                            pad_right(named_shape(record), shape_width), record.statistics.mean_rms);
        if (format.with_statistics) text += " " + statistics_text(record.statistics);
        text += "\n";
        if (format.values > 0) text += paint.dim("    " + values_text(record, format.values)) + "\n";
    }
    if (pass.loss) {
        text += fmt::format("\nloss={:.6f} over {} labels\n", pass.loss->mean, pass.loss->counted);
        if (pass.aux_loss) {
            text += fmt::format("aux_loss={:.6f}, loss + aux_loss={:.6f}\n", *pass.aux_loss,
                                pass.loss->mean + *pass.aux_loss);
        }
    } else if (pass.aux_loss) {
        text += fmt::format("\naux_loss={:.6f}\n", *pass.aux_loss);
    }
    return text;
}

ordered_json trace_json(const TracedPass& pass, std::int64_t values) {
    ordered_json hooks = ordered_json::array();
    for (const Record& record : pass.records) hooks.push_back(record_json(record, values));
    ordered_json json = {{"schema_version", 1},
                         {"config", to_json(pass.model.config())},
                         {"weights", pass.weights},
                         {"weights_checksum", pass.checksum.empty() ? weights_checksum(pass.model) : pass.checksum},
                         {"tokens", rows_of(pass.input_ids)},
                         {"token_text", pass.token_text.empty() ? ordered_json() : ordered_json(pass.token_text)},
                         {"past", pass.past},
                         {"loss", pass.loss ? number(pass.loss->mean) : ordered_json()},
                         {"aux_loss", pass.aux_loss ? number(*pass.aux_loss) : ordered_json()},
                         {"hooks", hooks}};
    return json;
}

}  // namespace minimind
