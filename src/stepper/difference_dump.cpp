#include "stepper/difference_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace minimind {

namespace fs = std::filesystem;

namespace {

fs::path tensors_of(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw Error("there is no such dump").at(path.string()).help("minimind trace --dump DIR writes one");
    }
    if (!fs::is_directory(path, ignored)) return path;
    for (const fs::path& place : {path / "tensors.safetensors", path / "step000" / "tensors.safetensors"}) {
        if (fs::exists(place, ignored)) return place;
    }
    throw Error("there is no dump in this directory")
        .at(path.string())
        .note("looked for tensors.safetensors and step000/tensors.safetensors")
        .help("minimind trace --dump DIR writes one");
}

/// The names that a stage may have: its own; for a module's output also the module's.
std::vector<std::string> names_of(Site site) {
    std::vector<std::string> names = {site_name(site)};
    if (site.point == Point::resid_post) names.push_back(fmt::format("model.layers.{}", site.layer));
    if (site.point == Point::norm) names.push_back("model");
    return names;
}

/// [] and [1] are both one number.
bool same_shape(const Shape& a, const Shape& b) {
    return a == b || (element_count(a) == 1 && element_count(b) == 1);
}

}  // namespace

Dump::Dump(const fs::path& path) : file_(tensors_of(path)) {}

const StoredTensor* Dump::find(Site site) const {
    for (const std::string& name : names_of(site)) {
        if (const StoredTensor* tensor = file_.find(name)) return tensor;
    }
    return nullptr;
}

Record Dump::values(const StoredTensor& tensor) {
    Record record{{}, is_floating(tensor.type) ? Dtype::f32 : Dtype::i64, tensor.shape, {}, {}, {}};
    if (record.dtype == Dtype::f32) record.f32 = file_.to_f32(tensor);
    if (record.dtype == Dtype::i64) record.i64 = file_.to_i64(tensor);
    return record;
}

std::optional<std::vector<std::int64_t>> Dump::tokens() {
    const StoredTensor* ids = file_.find("input_ids");
    if (ids != nullptr && !is_floating(ids->type)) return file_.to_i64(*ids);
    const fs::path json = fs::path(file()).parent_path() / "trace.json";
    std::error_code ignored;
    if (!fs::exists(json, ignored)) return std::nullopt;
    const MappedFile text(json);
    const auto trace = nlohmann::json::parse(text.text(), nullptr, false);
    if (!trace.is_object() || !trace.contains("tokens") || !trace["tokens"].is_array()) return std::nullopt;
    std::vector<std::int64_t> tokens;
    for (const auto& row : trace["tokens"]) {
        if (!row.is_array()) return std::nullopt;
        for (const auto& id : row) tokens.push_back(id.is_number_integer() ? id.get<std::int64_t>() : -1);
    }
    return tokens;
}

DumpComparison compare_with_dump(const Recording& recording, Dump& dump, double tolerance) {
    DumpComparison comparison;
    const auto tokens = dump.tokens();
    const TokenIds ids = recording.input().ids.positions(recording.past(), recording.batch().seq);
    comparison.same_tokens = !tokens || *tokens == ids.ids;
    for (const Stage& stage : recording.stages()) {
        if (!stage.is_kept) continue;
        const StoredTensor* tensor = dump.find(stage.site());
        if (tensor == nullptr) {
            ++comparison.not_in_dump;
            continue;
        }
        DumpedStage compared{stage.site(), stage.record.shape, tensor->shape, std::nullopt, 0.0};
        if (same_shape(compared.here, compared.there) && tensor->shape.size() <= TensorView::max_rank) {
            const Record there = dump.values(*tensor);
            const TensorView here_view = stage.view;
            const TensorView there_view = there.dtype == Dtype::f32 ? TensorView(there.f32.data(), compared.here)
                                                                    : TensorView(there.i64.data(), compared.here);
            compared.difference = difference_of(here_view, there_view);
            compared.tolerance = tolerance * std::max(1.0, compared.difference->largest);
        }
        comparison.stages.push_back(std::move(compared));
    }
    return comparison;
}

}  // namespace minimind
