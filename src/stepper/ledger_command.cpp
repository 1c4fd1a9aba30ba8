// The command `ledger`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "console/cells.hpp"
#include "core/error.hpp"
#include "stepper/analysis_commands.hpp"
#include "stepper/ledger.hpp"
#include "stepper/picture.hpp"
#include "stepper/where_token.hpp"

namespace minimind {

namespace {

constexpr std::size_t write_name_width = 20;
constexpr std::size_t write_column_width = 10;

/// As many marks as fit in `cells` for the largest value of all.
std::string bar(double value, double largest, char mark, std::size_t cells) {
    const double share = std::abs(value) / largest;
    if (!(share > 0.0 && share <= 1.0)) return "";  // of 0 and NaN
    return std::string(static_cast<std::size_t>(std::ceil(static_cast<double>(cells) * share)), mark);
}

std::string or_dash(double value, const char* format) {
    return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

class LedgerTable {
  public:
    LedgerTable(const SessionState& session, const Ledger& ledger, std::optional<std::int64_t> target,
                std::ostream& out)
        : session_(session), ledger_(ledger), target_(target), out_(out) {}

    void show() const {
        std::string heading = pad_right(session_.words("write", "写入"), write_name_width);
        for (const auto& [en, zh] :
             {std::pair{"rms", "RMS"}, {"/ stream", "/ 残差流"}, {"cosine", "余弦"}, {"rms after", "累计 RMS"}}) {
            heading += pad_left(session_.words(en, zh), write_column_width);
        }
        if (target_) heading += pad_left(session_.words("share", "份额"), write_column_width);
        out_ << session_.paint.dim(heading) << "\n";
        double largest = 0.0;
        for (const LedgerEntry& entry : ledger_.entries) largest = std::max(largest, std::abs(measure(entry)));
        for (const LedgerEntry& entry : ledger_.entries) line(entry, largest);
        balance();
    }

  private:
    double measure(const LedgerEntry& entry) const { return target_ ? entry.share : entry.rms; }

    void line(const LedgerEntry& entry, double largest) const {
        std::string row =
            pad_right(truncated(entry.name.in(session_.language), write_name_width - 1), write_name_width);
        row += pad_left(number_text(entry.rms), write_column_width) +
               pad_left(or_dash(entry.ratio, "{:.3g}"), write_column_width) +
               pad_left(or_dash(entry.cosine, "{:.3f}"), write_column_width) +
               pad_left(number_text(entry.stream_rms), write_column_width);
        if (target_) row += pad_left(fmt::format("{:+.3g}", entry.share), write_column_width);
        const std::size_t room = session_.width > display_width(row) + 2 ? session_.width - display_width(row) - 2 : 0;
        const char mark = !target_ ? '#' : entry.share < 0.0 ? '-' : '+';
        const std::string drawn = bar(measure(entry), largest, mark, std::min<std::size_t>(room, 20));
        if (!drawn.empty()) row += "  " + drawn;
        out_ << row << "\n";
    }

    /// The writes add up to the stream, and the shares to the logit.
    void balance() const {
        const bool is_rounding = ledger_.largest_gap <= ledger_.allowed_gap;
        const std::string sum = fmt::format(
            fmt::runtime(session_.words("the writes add up to the final stream, rms {}; largest difference {:.1e}, {}",
                                        "各项写入之和就是最终的残差流，RMS 为 {}；最大差 {:.1e}，{}")),
            number_text(ledger_.final_rms), ledger_.largest_gap,
            is_rounding                     ? session_.words("float32 rounding", "属于 float32 舍入误差")
            : std::isinf(ledger_.final_rms) ? session_.words("float32 overflowed", "float32 溢出")
                                            : session_.words("more than rounding", "超出舍入误差"));
        paragraph(sum);
        if (!target_) return;
        std::string logit = fmt::format(fmt::runtime(session_.words("the shares add up to the logit of {}: {:.6g}",
                                                                    "各份额之和就是 {} 的 logit：{:.6g}")),
                                        token_name(session_, *target_), ledger_.logit);
        if (ledger_.stored_logit) {
            logit += fmt::format(
                fmt::runtime(session_.words("; stored {:.6g}, difference {:.1e}", "；存储值 {:.6g}，差 {:.1e}")),
                *ledger_.stored_logit, std::abs(ledger_.logit - *ledger_.stored_logit));
        }
        paragraph(logit);
    }

    void paragraph(const std::string& text) const {
        for (const std::string& part : wrap(text, session_.width)) out_ << part << "\n";
    }

    const SessionState& session_;
    const Ledger& ledger_;
    std::optional<std::int64_t> target_;
    std::ostream& out_;
};

void run_ledger(SessionState& session, const std::string& arguments, std::ostream& out) {
    std::string position = arguments;
    std::optional<std::int64_t> target;
    const std::string padded = " " + arguments;
    const std::size_t word = padded.find(" for");
    if (word != std::string::npos && (word + 4 == padded.size() || padded[word + 4] == ' ')) {
        const std::size_t begin = padded.find_first_not_of(' ', word + 4);
        if (begin == std::string::npos)
            throw Error(session.words("for which token", "for 后面缺少 token"))
                .at("ledger " + arguments)
                .help("ledger 3 for 42");
        target = read_token(session, padded.substr(begin));
        position = padded.substr(0, word);
    }
    const std::size_t begin = position.find_first_not_of(' ');
    position = begin == std::string::npos ? "" : position.substr(begin);
    if (!position.empty() && !is_token_position(position)) {
        throw Error(session.words("ledger takes a position", "ledger 后面应是一个位置"))
            .at("ledger " + arguments)
            .help("ledger 3, ledger 1,3 in row 1, ledger 3 for 42");
    }
    const TokenPosition place = position.empty() ? last_position(session) : read_token_position(session, position);
    const Ledger ledger = ledger_of(*session.recording, place.row, fresh_position(session, place), target);
    out << session.paint.bold(position_text(session, place)) << "\n";
    LedgerTable(session, ledger, target, out).show();
}

}  // namespace

StepCommand ledger_command() {
    return {
        "ledger",
        {},
        "ledger [POS] [for ID]",
        {"the residual stream as an account: each write", "残差流的账目：每一次写入"},
        {"Every write to the stream at one position (the last of row 0 unless you name one): its size, how it compares "
         "with the stream, the angle. `for ID`: each write's share of that token's logit.",
         "某个位置（默认第 0 行最后一个）对残差流的每一次写入：大小、与残差流之比、夹角。`for ID`：每次写入在该 token "
         "的 "
         "logit 中所占的份额。"},
        run_ledger,
        false,
        false};
}

}  // namespace minimind
