// The command `diff`: two stages, or this run and a dump.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "console/numbers.hpp"
#include "core/error.hpp"
#include "lessons/written_answer.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/difference_dump.hpp"
#include "stepper/difference_text.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace fs = std::filesystem;

namespace {

SelectedStage values_of_stage(SessionState& session, const std::string& text, std::ostream& out) {
    const StageArgument argument = stage_argument(session, half_width(text));
    const TensorView view = values_of(session, argument.site, out);
    SelectedStage result{argument.site, select(argument.slice, view.shape(), argument.text), {}, {}, ""};
    for (const double value : selected_values(view, result.selection))
        result.values.push_back(static_cast<float>(value));
    result.shape = result.selection.shape();
    result.text = short_name(result.site) + slice_text(argument.slice);
    return result;
}

void diff_stages(SessionState& session, const std::string& first, const std::string& second, std::ostream& out) {
    const SelectedStage a = values_of_stage(session, first, out);
    const SelectedStage b = values_of_stage(session, second, out);
    if (a.shape != b.shape) {
        throw Error(fmt::format(fmt::runtime(session.words("{} and {} cannot be compared: their shapes differ",
                                                           "{} 与 {} 无法比较：shape 不同")),
                                a.text, b.text))
            .at("diff " + first + " " + second)
            .note(list_text(a.shape) + session.words(" and ", " 与 ") + list_text(b.shape))
            .help("cut both to one shape: diff q_rope[:,:,0] k_rope[:,:,0]");
    }
    out << difference_text(session, a, b);
}

void diff_dump(const SessionState& session, const fs::path& path, double tolerance, std::ostream& out) {
    Dump dump(path);
    const DumpComparison comparison = compare_with_dump(*session.recording, dump, tolerance);
    if (comparison.stages.empty()) {
        throw Error(session.words("the dump has no stage of this run", "dump 里没有本次运行的任何阶段"))
            .at(dump.file())
            .note(session.words("its tensors must be called as `minimind hooks` lists them",
                                "其中张量的名字应与 `minimind hooks` 列出的一致"))
            .help("minimind trace --dump DIR writes such a dump");
    }
    const auto first = std::ranges::find_if(comparison.stages, &DumpedStage::differs);
    const auto differing = std::ranges::count_if(comparison.stages, &DumpedStage::differs);
    out << fmt::format(fmt::runtime(session.words("{} stages compared, {} differ; tolerance {} * max(1, largest)\n",
                                                  "比较了 {} 个阶段，{} 个不同；容差 {} * max(1, 最大值)\n")),
                       comparison.stages.size(), differing, tolerance);
    if (!comparison.same_tokens) {
        out << session.words("the dump is of other tokens: start with its --input_ids\n",
                             "dump 用的是另一组 token：请用它的 --input_ids 启动\n");
    }
    if (comparison.not_in_dump > 0) {
        out << fmt::format(fmt::runtime(session.words("{} stages of this run are not in the dump\n",
                                                      "本次运行有 {} 个阶段不在 dump 里\n")),
                           comparison.not_in_dump);
    }
    if (first == comparison.stages.end()) {
        out << session.words("all agree\n", "全部一致\n");
        return;
    }
    out << first_difference_text(session, *first);
    if (first != comparison.stages.begin()) {
        out << session.words("the last before it that agrees: ", "在它之前最后一个一致的阶段：")
            << site_name((first - 1)->site) << "\n";
    }
}

/// One stage of this run and the same stage of a dump.
void diff_stage_with_dump(SessionState& session, const std::string& name, const fs::path& path, std::ostream& out) {
    const StageArgument argument = stage_argument(session, half_width(name));
    const TensorView values = values_of(session, argument.site, out);
    Dump dump(path);
    const StoredTensor* tensor = dump.find(argument.site);
    if (tensor == nullptr) {
        throw Error(session.words("the dump has no ", "dump 里没有 ") + site_name(argument.site))
            .at(dump.file())
            .help("diff " + path.string());
    }
    if (tensor->shape != values.shape()) {
        throw Error(session.words("the shapes differ", "shape 不同"))
            .at(site_name(argument.site))
            .note(session.words("here ", "这里是 ") + list_text(values.shape()) +
                  session.words(", in the dump ", "，dump 里是 ") + list_text(tensor->shape));
    }
    const Record record = dump.values(*tensor);
    const TensorView there = record.view();
    const Selection selection = select(argument.slice, values.shape(), argument.text);
    const auto floats = [&](const TensorView& view) {
        std::vector<float> result;
        for (const double value : selected_values(view, selection)) result.push_back(static_cast<float>(value));
        return result;
    };
    const std::string text = short_name(argument.site) + slice_text(argument.slice);
    out << difference_text(
        session, {argument.site, selection, floats(values), selection.shape(), text},
        {argument.site, selection, floats(there), selection.shape(), session.words("the dump's", "dump")});
}

/// A stage's name goes before a file of the same name in the working directory.
bool is_path(const SessionState& session, const std::string& text) {
    const std::string name = text.substr(0, text.find('['));
    const bool is_stage = std::ranges::any_of(session.recording->stages(),
                                              [&name](const Stage& stage) { return matches(name, stage.site()); });
    std::error_code ignored;
    return !text.empty() && !is_stage && (text.find('/') != std::string::npos || fs::exists(text, ignored));
}

double read_tolerance(const std::string& text) {
    try {
        return read_real(text, {0.0, 1e30});
    } catch (Error& error) {
        throw error.at(text).help("what follows the directory is a tolerance: diff DIR 0.02");
    }
}

void run_diff(SessionState& session, const std::string& arguments, std::ostream& out) {
    const auto [first, second] = first_argument(arguments);
    if (first.empty()) {
        throw Error(session.words("diff needs two stages, or a dump", "diff 需要两个阶段，或一个 dump"))
            .at("diff")
            .help("diff resid_pre resid_mid")
            .help("diff DIR, where `minimind trace --dump DIR` wrote one")
            .help("diff STAGE DIR");
    }
    if (is_path(session, first)) {
        return diff_dump(session, first, second.empty() ? 2e-5 : read_tolerance(second), out);
    }
    if (second.empty()) {
        site_named(session, first.substr(0, first.find('[')));  // a typo is called one
        throw Error(session.words("diff needs something to compare it with", "diff 还缺少比较的对象"))
            .at("diff " + arguments)
            .help("diff " + first + " resid_mid, or a directory with a dump");
    }
    if (is_path(session, second)) return diff_stage_with_dump(session, first, second, out);
    diff_stages(session, first, second, out);
}

}  // namespace

StepCommand diff_command() {
    return {
        "diff",
        {},
        "diff A B | diff [STAGE] DIR",
        {"two stages, or this run and a dump: what differs", "比较两个阶段，或比较本次运行与 dump"},
        {"`diff resid_pre resid_mid`; `diff DIR` finds the first stage at which this run and a dump part; `diff DIR "
         "0.02` with another tolerance (bfloat16 has three digits). DIR is what `minimind trace --dump DIR` wrote, or "
         "a safetensors file from your own hooks.",
         "`diff resid_pre resid_mid`；`diff DIR` 找出本次运行与 dump 最先不同的阶段；`diff DIR 0.02` "
         "换一个容差（bfloat16 "
         "只有三位数字）。DIR 由 `minimind trace --dump DIR` 写出，也可以是你自己的 hook 存的 safetensors 文件。"},
        run_diff,
        false,
        true};
}

}  // namespace minimind
