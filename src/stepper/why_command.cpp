// The command `why`.
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/why_parts.hpp"
#include "stepper/why_text.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

/// Of several selected elements the one that is largest in magnitude; NaN counts as the largest of all.
std::vector<std::int64_t> largest_of(const TensorView& values, const Selection& selection) {
    std::int64_t best = 0;
    double largest = -1.0;
    for (std::int64_t n = 0; n < selection.count(); ++n) {
        const double value = value_at(values, index_of(selection, n));
        const double size = std::isnan(value) ? HUGE_VAL : std::abs(value);
        if (std::isinf(value) && value < 0.0) continue;  // masked: nobody asks why
        if (size <= largest) continue;
        largest = size;
        best = n;
    }
    return index_of(selection, best);
}

WhyStyle style_of(const SessionState& session, std::int64_t row) {
    WhyStyle style{session.language, session.paint, session.width, {}};
    style.label = [&session, row](const std::string& axis, std::int64_t place) -> std::string {
        if (axis == "v" && session.tokenizer && session.tokenizer->has(place)) {
            return short_repr(session.tokenizer->decode({place}), 20);
        }
        const auto b = static_cast<std::size_t>(row);
        if (axis != "t" || b >= session.token_text.size()) return "";
        const auto t = static_cast<std::size_t>(place);
        return t < session.token_text[b].size() ? short_repr(session.token_text[b][t], 20) : "";
    };
    return style;
}

void run_why(SessionState& session, const std::string& arguments, std::ostream& out) {
    const StageArgument argument = stage_argument(session, arguments);
    const TensorView values = values_of(session, argument.site, out);
    const Selection selection = select(argument.slice, values.shape(), argument.text);
    if (selection.count() == 0) {
        throw Error(session.words("there is nothing in this slice", "这个切片里什么也没有"))
            .at(argument.text)
            .note(session.words("the shape is ", "shape 是 ") + list_text(values.shape()))
            .help("why " + element_name(argument.site, std::vector<std::int64_t>(values.rank(), 0)));
    }
    const std::vector<std::int64_t> index = largest_of(values, selection);
    if (selection.count() > 1) {
        const std::string text = fmt::format(
            fmt::runtime(session.words("of {} numbers the largest in magnitude; `why {}` and the like asks for another",
                                       "{} 个数中绝对值最大的一个；要问别的，例如 `why {}`")),
            selection.count(), element_name(argument.site, std::vector<std::int64_t>(values.rank(), 0)));
        for (const std::string& line : wrap("(" + text + ")", session.width)) out << session.paint.dim(line) << "\n";
    }
    const std::int64_t row = index.size() == 4 || index.size() == 3 ? index[0] : -1;  // of the batch
    std::string name = site_name(argument.site);
    if (!index.empty()) name += list_text(index);
    out << why_text(why(*session.recording, argument.site, index), name, style_of(session, row));
}

}  // namespace

StepCommand why_command() {
    return {"why",
            {},
            "why STAGE[i,j,k]",
            {"the terms that make this one number, added up", "这一个数由哪些项相加而来"},
            {"Computes the number again in double, from the stages and weights that it was made from, and compares it "
             "with what the pass stored. Of a slice it takes the largest number: `why scores[0,1]`, `why`.",
             "从它的输入和权重出发，用 double 重算这个数，再与前向时存下的值比较。给出一个切片时取其中绝对值最大的数："
             "`why scores[0,1]`、`why`。"},
            run_why,
            false,
            true};
}

}  // namespace minimind
