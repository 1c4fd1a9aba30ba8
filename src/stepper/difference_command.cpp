// The command `diff`: two stages, or this run and a dump.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "console/cells.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "lessons/written_answer.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/difference_dump.hpp"
#include "stepper/picture.hpp"
#include "stepper/why_parts.hpp"

namespace minimind {

namespace fs = std::filesystem;

namespace {

/// Selected values of a stage, copied: the recording may be made again for another layer's.
struct StageValues {
    Site site;
    Selection selection;
    std::vector<float> values;
    Shape shape;
    std::string text;  // "q_rope[0, :]"

    TensorView view() const { return {values.data(), shape}; }
    /// The name of the element at an index of the selection.
    std::string element(const std::vector<std::int64_t>& index) const {
        std::int64_t n = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) n = n * shape[i] + index[i];
        return element_name(site, index_of(selection, n));
    }
};

StageValues values_of_stage(SessionState& session, const std::string& text, std::ostream& out) {
    const StageArgument argument = stage_argument(session, half_width(text));
    const TensorView view = values_of(session, argument.site, out);
    StageValues result{argument.site, select(argument.slice, view.shape(), argument.text), {}, {}, ""};
    for (const double value : selected_values(view, result.selection))
        result.values.push_back(static_cast<float>(value));
    result.shape = result.selection.shape();
    result.text = short_name(result.site) + slice_text(argument.slice);
    return result;
}

void line(const SessionState& session, std::ostream& out, const char* en, const char* zh, const std::string& text) {
    out << labelled(session.words(en, zh), text, session.width);
}

std::string number(double value) {
    return fmt::format("{:.6g}", value);
}

void show_difference(const SessionState& session, const StageValues& a, const StageValues& b, std::ostream& out) {
    const Difference d = difference_of(a.view(), b.view());
    out << session.paint.bold(fmt::format("a = {}   b = {}   {}", a.text, b.text, list_text(a.shape))) << "\n";
    if (d.count == 0) throw Error(session.words("there is nothing in these slices", "这些切片里什么也没有")).at(a.text);
    line(session, out, "equal", "相同",
         fmt::format(fmt::runtime(session.words("{} of {} numbers", "{1} 个数中有 {0} 个")), d.count - d.unequal,
                     d.count));
    if (d.unequal == 0) return;
    line(session, out, "largest", "最大差",
         fmt::format("|a - b| = {}: {} = {}, {} = {}", number(d.max_abs), a.element(d.where), number(d.a),
                     b.element(d.where), number(d.b)));
    line(session, out, "rms", "RMS",
         fmt::format(fmt::runtime(session.words("{} of a - b, {:.3g} of a's", "a - b 为 {}，是 a 的 {:.3g} 倍")),
                     number(d.rms), d.relative()));
    if (std::isfinite(d.cosine)) line(session, out, "cosine", "余弦", number(d.cosine));
    const bool is_rounding = d.max_abs <= sum_order_tolerance(d);
    line(session, out, "verdict", "结论",
         is_rounding ? session.words("equal within float32 rounding: 2e-5 * max(1, largest |b|)",
                                     "在 float32 舍入误差之内相等：2e-5 * max(1, 最大的 |b|)")
                     : session.words("different", "不同"));
}

void diff_stages(SessionState& session, const std::string& first, const std::string& second, std::ostream& out) {
    const StageValues a = values_of_stage(session, first, out);
    const StageValues b = values_of_stage(session, second, out);
    if (a.shape != b.shape) {
        throw Error(fmt::format(fmt::runtime(session.words("{} and {} cannot be compared: their shapes differ",
                                                           "{} 与 {} 无法比较：shape 不同")),
                                a.text, b.text))
            .at("diff " + first + " " + second)
            .note(list_text(a.shape) + session.words(" and ", " 与 ") + list_text(b.shape))
            .help("cut both to one shape: diff q_rope[:,:,0] k_rope[:,:,0]");
    }
    show_difference(session, a, b, out);
}

/// The first stage that differs, and its largest difference.
void show_first(const SessionState& session, const DumpedStage& stage, std::ostream& out) {
    out << session.paint.bold(session.words("first that differs: ", "最先不同的阶段：") + site_name(stage.site))
        << "\n";
    if (!stage.difference) {
        line(session, out, "shape", "shape",
             fmt::format(fmt::runtime(session.words("here {}, in the dump {}", "这里是 {}，转储里是 {}")),
                         list_text(stage.here), list_text(stage.there)));
        return;
    }
    line(
        session, out, "largest", "最大差",
        fmt::format(fmt::runtime(session.words("{} at {}: here {}, in the dump {}", "{}，位于 {}：这里 {}，转储里 {}")),
                    number(stage.difference->max_abs), list_text(stage.difference->where), number(stage.difference->a),
                    number(stage.difference->b)));
    line(session, out, "allowed", "允许", number(stage.tolerance));
    line(session, out, "relative", "相对", number(stage.difference->relative()));
}

void diff_dump(const SessionState& session, const fs::path& path, double tolerance, std::ostream& out) {
    Dump dump(path);
    const DumpComparison comparison = compare_with_dump(*session.recording, dump, tolerance);
    if (comparison.stages.empty()) {
        throw Error(session.words("the dump has no stage of this run", "转储里没有本次运行的任何阶段"))
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
                             "转储用的是另一组 token：请用它的 --input_ids 启动\n");
    }
    if (comparison.not_in_dump > 0) {
        out << fmt::format(fmt::runtime(session.words("{} stages of this run are not in the dump\n",
                                                      "本次运行有 {} 个阶段不在转储里\n")),
                           comparison.not_in_dump);
    }
    if (first == comparison.stages.end()) {
        out << session.words("all agree\n", "全部一致\n");
        return;
    }
    show_first(session, *first, out);
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
        throw Error(session.words("the dump has no ", "转储里没有 ") + site_name(argument.site))
            .at(dump.file())
            .help("diff " + path.string());
    }
    if (tensor->shape != values.shape()) {
        throw Error(session.words("the shapes differ", "shape 不同"))
            .at(site_name(argument.site))
            .note(session.words("here ", "这里是 ") + list_text(values.shape()) +
                  session.words(", in the dump ", "，转储里是 ") + list_text(tensor->shape));
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
    show_difference(session, {argument.site, selection, floats(values), selection.shape(), text},
                    {argument.site, selection, floats(there), selection.shape(), session.words("the dump's", "转储")},
                    out);
}

bool is_path(const std::string& text) {
    std::error_code ignored;
    return !text.empty() && (text.find('/') != std::string::npos || fs::exists(text, ignored));
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
        throw Error(session.words("diff needs two stages, or a dump", "diff 需要两个阶段，或一个转储"))
            .at("diff")
            .help("diff resid_pre resid_mid")
            .help("diff DIR, where `minimind trace --dump DIR` wrote one")
            .help("diff STAGE DIR");
    }
    if (is_path(first)) {
        return diff_dump(session, first, second.empty() ? 2e-5 : read_tolerance(second), out);
    }
    if (second.empty()) {
        site_named(session, first.substr(0, first.find('[')));  // a typo is called one
        throw Error(session.words("diff needs something to compare it with", "diff 还缺少比较的对象"))
            .at("diff " + arguments)
            .help("diff " + first + " resid_mid, or a directory with a dump");
    }
    if (is_path(second)) return diff_stage_with_dump(session, first, second, out);
    diff_stages(session, first, second, out);
}

}  // namespace

StepCommand diff_command() {
    return {
        "diff",
        {},
        "diff A B | diff [STAGE] DIR",
        {"two stages, or this run and a dump: what differs", "比较两个阶段，或比较本次运行与转储"},
        {"`diff resid_pre resid_mid`; `diff DIR` finds the first stage at which this run and a dump part; `diff DIR "
         "0.02` with another tolerance (bfloat16 has three digits). DIR is what `minimind trace --dump DIR` wrote, or "
         "a safetensors file from your own hooks.",
         "`diff resid_pre resid_mid`；`diff DIR` 找出本次运行与转储最先不同的阶段；`diff DIR 0.02` "
         "换一个容差（bfloat16 "
         "只有三位数字）。DIR 由 `minimind trace --dump DIR` 写出，也可以是你自己的 hook 存的 safetensors 文件。"},
        run_diff,
        false,
        true};
}

}  // namespace minimind
