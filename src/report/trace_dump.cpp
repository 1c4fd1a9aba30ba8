#include "report/trace_dump.hpp"

#include <fmt/format.h>

#include <system_error>

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/safetensors.hpp"

namespace minimind {

namespace fs = std::filesystem;

namespace {

/// A directory that this program made: step and three digits or more, with a dump in it.
bool is_dump(const fs::path& path) {
    const std::string name = path.filename().string();
    const bool is_step =
        name.size() >= 7 && name.rfind("step", 0) == 0 && name.find_first_not_of("0123456789", 4) == std::string::npos;
    std::error_code ignored;
    return is_step && (fs::exists(path / "trace.json", ignored) || fs::exists(path / "tensors.safetensors", ignored));
}

/// Removes what write_dump writes, and the directory if nothing else is in it.
void remove_dump(const fs::path& step, std::error_code& reason) {
    for (fs::directory_iterator it(step, reason), end; !reason && it != end; it.increment(reason)) {
        const fs::path& file = it->path();
        const bool ours =
            file.filename() == "trace.json" || file.filename() == "tensors.safetensors" || file.extension() == ".npy";
        if (ours) fs::remove(file, reason);
    }
    std::error_code not_empty;
    fs::remove(step, not_empty);
}

Error cannot_write(const fs::path& path, const std::error_code& reason) {
    return Error("cannot write there: " + reason.message()).at(path.string()).exit_code(1);
}

}  // namespace

void prepare_dump(const fs::path& directory, bool force) {
    std::error_code reason;
    if (directory.empty()) throw Error("a dump needs the name of a directory").at("--dump \"\"");
    if (fs::exists(directory) && !fs::is_directory(directory)) {
        throw Error("a dump is a directory, and there is a file of that name").at("--dump " + directory.string());
    }
    std::vector<fs::path> steps;
    for (fs::directory_iterator it(directory, reason), end; !reason && it != end; it.increment(reason)) {
        if (is_dump(it->path())) steps.push_back(it->path());
    }
    if (!steps.empty() && !force) {
        throw Error("there is a dump in that directory already")
            .at("--dump " + directory.string())
            .help("name another directory, or replace the dump with --force");
    }
    for (const fs::path& step : steps) {
        remove_dump(step, reason);
        if (reason) throw cannot_write(step, reason);
    }
    fs::create_directories(directory, reason);
    if (reason) throw cannot_write(directory, reason);
}

void write_dump(const fs::path& directory, int step, const TracedPass& pass, bool with_npy) {
    const fs::path place = directory / fmt::format("step{:03}", step);
    std::error_code reason;
    fs::create_directories(place, reason);
    if (reason) throw cannot_write(place, reason);

    SafetensorsWriter tensors(place / "tensors.safetensors", {{"format", "pt"}});
    for (const Record& record : pass.records) {
        tensors.add(site_name(record.site), record.view());
        if (with_npy) write_npy(place / (site_name(record.site) + ".npy"), record.view());
    }
    tensors.finish();

    write_file(place / "trace.json", trace_json(pass, 0).dump(1) + "\n");
}

}  // namespace minimind
