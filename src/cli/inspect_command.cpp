// `minimind inspect`: which tensors a checkpoint holds, in any of its forms.
#include <fmt/format.h>

#include <cmath>

#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/cells.hpp"
#include "console/console_flags.hpp"
#include "console/memory.hpp"
#include "console/table.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "io/checkpoint.hpp"
#include "report/trace_report.hpp"
#include "trace/statistics.hpp"

namespace minimind {

namespace {

using nlohmann::ordered_json;

struct TensorRow {
    std::string file;
    StoredTensor tensor;
    Statistics statistics;
};

std::vector<TensorRow> tensor_rows(const CheckpointFiles& files, const std::string& filter) {
    std::vector<TensorRow> rows;
    for (const auto& file : files.weights) {
        for (const StoredTensor& tensor : file->tensors()) {
            if (!filter.empty() && !matches_name(filter, tensor.name)) continue;
            const std::vector<float> values = file->to_f32(tensor);
            rows.push_back({file->name(), tensor, statistics_of(TensorView(values.data(), tensor.shape))});
        }
    }
    return rows;
}

/// "storage data/3 + 128" in a .pth, whose members are zip entries; the place in the file elsewhere.
std::string offset_text(const StoredTensor& tensor) {
    const std::string place = with_commas(static_cast<std::int64_t>(tensor.offset));
    return tensor.storage.empty() ? place : tensor.storage + " + " + place;
}

std::string number_text(double value) {
    return fmt::format("{:.6g}", value);
}

std::string rows_text(const std::vector<TensorRow>& rows) {
    Table table({{"name"},
                 {"dtype"},
                 {"shape"},
                 {"offset", Align::right},
                 {"mean", Align::right},
                 {"std", Align::right},
                 {"min", Align::right},
                 {"max", Align::right},
                 {"NaN/inf", Align::right}});
    std::int64_t values = 0;
    std::int64_t bytes = 0;
    for (const auto& [file, tensor, s] : rows) {
        const std::int64_t not_finite = s.count - s.finite_count();
        table.add_row({visible(tensor.name), std::string(stored_type_name(tensor.type)), shape_text(tensor.shape),
                       offset_text(tensor), number_text(s.mean), number_text(s.std), number_text(s.min),
                       number_text(s.max), std::to_string(not_finite)});
        values += s.count;
        bytes += s.count * static_cast<std::int64_t>(stored_type_size(tensor.type));
    }
    return table.text() + fmt::format("\n{} tensors, {} values, {}\n", rows.size(), with_commas(values),
                                      bytes_text(static_cast<double>(bytes)));
}

ordered_json rows_json(const std::vector<TensorRow>& rows) {
    ordered_json list = ordered_json::array();
    for (const auto& [file, tensor, s] : rows) {
        ordered_json entry = {{"name", tensor.name},
                              {"file", file},
                              {"dtype", stored_type_name(tensor.type)},
                              {"shape", tensor.shape},
                              {"strides", tensor.strides}};
        if (!tensor.storage.empty()) entry["storage"] = tensor.storage;
        entry["offset"] = tensor.offset;
        entry["statistics"] = statistics_json(s);
        list.push_back(entry);
    }
    return list;
}

}  // namespace

int inspect_command(const std::vector<std::string>& words) {
    std::string path;
    std::string filter;
    std::string format = "text";
    ConsoleFlags console;
    Arguments args("inspect", "The tensors of a checkpoint: name, type, shape, place in the file, statistics.");
    args.positional("FILE", path, "a .safetensors, .pth or .bin file, or a Hugging Face directory");
    args.text("--filter", filter, "only the tensors whose name the glob matches").value_name("GLOB");
    args.choice("--format", format, {"text", "json"}, "how to print them");
    console.add(args);
    args.example("minimind inspect model.safetensors", "every tensor");
    args.example("minimind inspect out/pretrain_768.pth --filter '*.layers.0.*'", "the first block");
    if (!args.parse(words)) return 0;

    const std::vector<TensorRow> rows = tensor_rows(open_checkpoint_files(path), filter);
    if (rows.empty() && !filter.empty()) {
        throw Error("no tensor has such a name")
            .at("--filter " + filter)
            .help("* stands for any characters, ? for one");
    }
    if (format == "json") {
        fmt::print("{}\n", rows_json(rows).dump(1, ' ', false, ordered_json::error_handler_t::replace));
    } else {
        fmt::print("{}", rows_text(rows));
    }
    return 0;
}

}  // namespace minimind
