// Lab of lesson 22: what hidden_act can name: values, slopes, valleys and curves. No model is needed: an activation
// looks at one number at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare_activations/chart.hpp"
#include "compare_activations/explanations.hpp"
#include "compare_activations/textbook.hpp"
#include "core/error.hpp"
#include "labs.hpp"
#include "model/activation.hpp"
#include "report/lab_output.hpp"

namespace minimind {

namespace {

using Json = LabOutput::Json;
using Activations = std::vector<TextbookActivation>;

struct Range {
    double from = -5.0;
    double to = 5.0;
    std::int64_t points = 11;

    double x(std::int64_t i) const {
        return from + (to - from) * static_cast<double>(i) / static_cast<double>(points - 1);
    }
};

/// Each activation has two columns: its value and its slope.
void show_values(LabOutput& out, const Activations& activations, const Range& range) {
    out.section("Values and Slopes");
    std::string names(8, ' ');
    std::string columns = fmt::format("{:>8}", "x");
    for (const TextbookActivation& activation : activations) {
        names += fmt::format("{:>17}", activation.name);
        columns += fmt::format("{:>9}{:>8}", "value", "slope");
    }
    out.line(names);
    out.line(columns);
    for (std::int64_t i = 0; i < range.points; ++i) {
        const double x = range.x(i);
        std::string line = fmt::format("{:>8.4f}", x);
        Json row = {{"x", x}};
        for (const TextbookActivation& activation : activations) {
            const double value = activation.value(x);
            const double slope = activation.slope(x);
            line += fmt::format("{:>9.4f}{:>8.4f}", value, slope);
            row[activation.name] = {{"value", value}, {"slope", slope}};
        }
        out.row(line, row);
    }
}

std::string number_or_dash(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.6f}", value);
}

void show_extremes(LabOutput& out, const Activations& activations) {
    out.section("Extremes");
    out.line(fmt::format("{:<17}{:>10}{:>10}{:>11}{:>10}{:>11}{:>10}", "", "minimum", "at x", "min slope", "at x",
                         "max slope", "at x"));
    for (const TextbookActivation& activation : activations) {
        const Extreme value = least_value(activation.value);
        const Extreme slope = least_value(activation.slope);
        const Extreme steepest = largest_value(activation.slope);
        out.row(fmt::format("{:<17}{:>10.6f}{:>10}{:>11.6f}{:>10}{:>11.6f}{:>10}", activation.name, value.value,
                            number_or_dash(value.at), slope.value, number_or_dash(slope.at), steepest.value,
                            number_or_dash(steepest.at)),
                {{"activation", activation.name},
                 {"least_value", value.value},
                 {"least_value_at", value.at},  // NaN is null in JSON
                 {"least_slope", slope.value},
                 {"least_slope_at", slope.at},
                 {"largest_slope", steepest.value},
                 {"largest_slope_at", steepest.at}});
    }
}

void show_curves(LabOutput& out, const Activations& activations, const Range& range,
                 RealFunction TextbookActivation::*function) {
    std::vector<Curve> curves;
    for (const TextbookActivation& activation : activations) {
        Curve curve{activation.mark, activation.name, {}};
        for (const double x : chart_points(range.from, range.to)) curve.values.push_back((activation.*function)(x));
        curves.push_back(curve);
    }
    for (const std::string& line : chart_lines(curves, range.from, range.to)) out.line(line);
}

/// The largest difference of act(x) in the engine's float32 from the formula in double, and of the slope's formula from
/// (act(x + h) - act(x - h)) / 2h.
void show_checks(LabOutput& out, const Activations& activations, const Range& range) {
    out.section("Formula against Engine");
    constexpr double h = 1e-5;
    for (const TextbookActivation& activation : activations) {
        arma::fmat x(1, static_cast<arma::uword>(range.points));
        for (arma::uword i = 0; i < x.n_elem; ++i) x[i] = static_cast<float>(range.x(static_cast<std::int64_t>(i)));
        const arma::fmat engine = activate(activation.name, x);
        double value_difference = 0.0;
        double slope_difference = 0.0;
        for (arma::uword i = 0; i < x.n_elem; ++i) {
            const double at = x[i];
            const double difference_quotient = (activation.value(at + h) - activation.value(at - h)) / (2.0 * h);
            value_difference = std::max(value_difference, std::abs(engine[i] - activation.value(at)));
            slope_difference = std::max(slope_difference, std::abs(difference_quotient - activation.slope(at)));
        }
        out.row(fmt::format("{:<17} value max_abs_diff={:.2e}  slope max_abs_diff={:.2e}", activation.name,
                            value_difference, slope_difference),
                {{"activation", activation.name},
                 {"value_max_abs_diff", value_difference},
                 {"slope_max_abs_diff", slope_difference}});
    }
}

}  // namespace

int compare_activations(const std::vector<std::string>& words) {
    constexpr RealRange x_range = {-100.0, 100.0};
    Range range;
    Activations activations = textbook_activations("silu,gelu,gelu_new,relu");
    LabFlags flags;
    Arguments args("compare_activations", "silu, gelu and relu: values, slopes and curves (lesson 22).");
    args.value(
            "--act", [&](const std::string& names) { activations = textbook_activations(names); },
            "the activations, separated by commas")
        .value_name("NAMES")
        .shown_default("silu,gelu,gelu_new,relu");
    args.real("--from", range.from, "the first x", x_range);
    args.real("--to", range.to, "the last x", x_range);
    args.integer("--points", range.points, "lines of the table", {2, 10000});
    flags.add(args);
    args.example("minimind compare_activations", "the four of them");
    args.example("minimind compare_activations --from -5 --to 0", "what they do below 0, enlarged");
    args.example("minimind compare_activations --act silu,relu --points 41", "two of them, in steps of 0.25");
    if (!args.parse(words)) return 0;
    if (range.from >= range.to) {
        throw Error(fmt::format("x cannot run from {:g} to {:g}", range.from, range.to))
            .at(fmt::format("--from {:g} --to {:g}", range.from, range.to))
            .help("--from must be less than --to");
    }

    LabOutput out("compare_activations", flags);
    out.explain_with(explain_activations());
    show_values(out, activations, range);
    show_extremes(out, activations);
    out.section("Curves");
    show_curves(out, activations, range, &TextbookActivation::value);
    out.section("Curves of the Slopes");
    show_curves(out, activations, range, &TextbookActivation::slope);
    show_checks(out, activations, range);
    out.finish();
    return 0;
}

}  // namespace minimind
