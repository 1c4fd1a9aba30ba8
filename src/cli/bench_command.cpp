// `minimind bench`: how fast the program is on this machine, each measurement beside its floor.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/measurements.hpp"
#include "cli/commands.hpp"
#include "console/arguments.hpp"
#include "console/console_flags.hpp"
#include "console/errors.hpp"
#include "console/table.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"

namespace minimind {

namespace {

namespace fs = std::filesystem;

fs::path program_path() {
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed);
}

/// Beside the program where it was built, in libexec where it is installed; "" if it is in neither.
std::string start_floor_path() {
    const fs::path folder = program_path().parent_path();
    for (const fs::path& place : {folder / "start_floor", folder / "../libexec/minimind/start_floor"}) {
        std::error_code failed;
        if (fs::exists(place, failed)) return place.lexically_normal().string();
    }
    return "";
}

/// Those whose name contains one of `wanted`; all if there is none. Throws Error for a word that no name contains.
std::vector<Benchmark> chosen(const std::vector<Benchmark>& all, const std::vector<std::string>& wanted) {
    if (wanted.empty()) return all;
    std::vector<Benchmark> result;
    std::string names;
    for (const Benchmark& benchmark : all) {
        names += (names.empty() ? "" : ", ") + benchmark.name;
        for (const std::string& word : wanted) {
            if (benchmark.name.find(word) == std::string::npos) continue;
            result.push_back(benchmark);
            break;
        }
    }
    for (const std::string& word : wanted) {
        if (names.find(word) != std::string::npos && !word.empty()) continue;
        throw Error("there is no such measurement").at("--only " + word).note("there are: " + names);
    }
    return result;
}

std::string milliseconds_text(double ms) {
    return ms < 10 ? fmt::format("{:.2f}", ms) : fmt::format("{:.0f}", ms);
}

void print_table(const std::vector<Benchmark>& list, const std::vector<Measurement>& results, Language language) {
    const auto in = [language](const char* en, const char* zh) { return text(language, en, zh); };
    Table table({{in("name", "名称")},
                 {in("ms", "毫秒"), Align::right},
                 {in("floor", "下限"), Align::right},
                 {in("ratio", "比值"), Align::right},
                 {in("read", "读权重"), Align::right},
                 {in("what", "内容")}});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Measurement& m = results[i];
        table.add_row({m.name, milliseconds_text(m.ms), milliseconds_text(m.floor_ms), fmt::format("{:.2f}", m.ratio()),
                       m.read_ms ? milliseconds_text(*m.read_ms) : "", list[i].what.in(language)});
    }
    fmt::print("{}\n", table.text());
    std::string last;
    for (const Benchmark& benchmark : list) {
        const std::string floor = benchmark.floor.in(language);
        if (floor != last) fmt::print("{} {} {}\n", benchmark.name, in("has as its floor", "的下限是"), floor);
        last = floor;
    }
}

}  // namespace

int bench_command(const std::vector<std::string>& words) {
    std::vector<std::string> only;
    std::int64_t repeats = 5;
    std::int64_t threads = 0;
    std::string format = "text";
    ConsoleFlags console;
    Arguments args("bench", "How fast the program is on this machine, each measurement beside its floor.");
    args.repeated("--only", only, "only the measurements whose name contains this").value_name("NAME");
    args.integer("--repeats", repeats, "how often each is measured; the median counts", {1, 1000});
    args.integer("--threads", threads, "threads of the products and loops", {1, 1024}).shown_default("all cores");
    args.choice("--format", format, {"text", "json"}, "json: a list of objects with name, ms, floor_ms, ratio");
    console.add(args);
    args.example("minimind bench", "everything: about a minute");
    args.example("minimind bench --only forward --threads 1", "the forward passes on one thread");
    if (!args.parse(words)) return 0;

    if (threads > 0) use_threads(static_cast<int>(threads));
    const Language language = console.language();
    const std::vector<Benchmark> list = chosen(benchmarks(program_path().string(), start_floor_path()), only);
    const MachinePeak peak = machine_peak();
    if (format == "text") {
        fmt::print(fmt::runtime(text(
                       language, "This machine, {} threads: {:.0f} GFLOP/s in large products, {:.0f} GB/s read.\n\n",
                       "本机 {} 线程：大矩阵乘法 {:.0f} GFLOP/s，读内存 {:.0f} GB/s。\n\n")),
                   peak.threads, peak.gflops, peak.gigabytes_a_second);
        std::fflush(stdout);
    }
    std::vector<Measurement> results;
    for (const Benchmark& benchmark : list) results.push_back(benchmark.measure(static_cast<int>(repeats)));
    if (format == "json") {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Measurement& result : results) json.push_back(measurement_json(result));
        fmt::print("{}\n", json.dump(2));
        return 0;
    }
    print_table(list, results, language);
    fmt::print("\n{}\n",
               text(language,
                    "The ratio is time / floor, both measured in turns: it hardly depends on the machine. Close "
                    "other programs first.",
                    "比值 = 时间 / 下限，两者交替测量，因此几乎不随机器变化。测量前请关闭其他程序。"));
    return 0;
}

}  // namespace minimind
