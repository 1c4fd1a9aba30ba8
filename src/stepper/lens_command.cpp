// The command `lens`.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/lens.hpp"
#include "stepper/where_token.hpp"

namespace minimind {

namespace {

constexpr std::size_t lens_tokens = 3;
constexpr std::size_t lens_name_width = 11;

std::string lens_cell(const SessionState& session, const LensToken& token, std::size_t width) {
    const std::string p = fmt::format(" {:.3g}", token.probability);
    return pad_right(truncated(token_name(session, token.id), width - p.size() - 1) + p, width);
}

void run_lens(SessionState& session, const std::string& arguments, std::ostream& out) {
    if (!arguments.empty() && !is_token_position(arguments)) {
        throw Error(session.words("lens takes a position", "lens 后面应是一个位置"))
            .at("lens " + arguments)
            .help("lens, lens 3, lens 1,3 in row 1");
    }
    const TokenPosition place = arguments.empty() ? last_position(session) : read_token_position(session, arguments);
    const std::vector<LensRow> rows =
        lens_of(*session.recording, place.row, fresh_position(session, place), lens_tokens);
    const std::size_t cell = std::max<std::size_t>((session.width - lens_name_width - 12) / lens_tokens, 14);
    out << session.paint.bold(position_text(session, place)) << "\n";
    const std::string likeliest =
        session.words("the likeliest tokens and their probabilities", "最可能的 token 及其概率");
    out << session.paint.dim(pad_right(session.words("after", "之后"), lens_name_width) +
                             pad_right(likeliest, cell * lens_tokens) +
                             fmt::format("p({})", rows.back().top.front().id))
        << "\n";
    for (const LensRow& row : rows) {
        const std::string after =
            row.site.layer < 0 ? session.words("embedding", "嵌入")
                               : fmt::format(fmt::runtime(session.words("layer {}", "第 {} 层")), row.site.layer);
        out << pad_right(after, lens_name_width);
        for (const LensToken& token : row.top) out << lens_cell(session, token, cell);
        out << fmt::format("{:.3g}", row.final_probability) << "\n";
    }
    const std::string note = session.words(
        "norm and lm_head applied to the stream after each layer; the last line is the model's own answer",
        "把 norm 和 lm_head 用在每一层之后的残差流上；最后一行就是模型自己的输出");
    for (const std::string& part : wrap(note, session.width)) out << session.paint.dim(part) << "\n";
}

}  // namespace

StepCommand lens_command() {
    return {"lens",       {},
            "lens [POS]", {"what the model would say after each layer", "若在每一层之后就输出，模型会说什么"},
            {},           run_lens,
            false,        false};
}

}  // namespace minimind
