// The commands that look at values: list, info, print, stats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "console/cells.hpp"
#include "console/memory.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "report/trace_report.hpp"
#include "stepper/picture.hpp"
#include "stepper/stage_sharing.hpp"
#include "stepper/stage_words.hpp"
#include "stepper/value_pictures.hpp"
#include "stepper/value_table.hpp"
#include "stepper/walk.hpp"

namespace minimind {

namespace {

/// All stages of a layer, with those before and after the blocks.
void list(SessionState& session, const std::string& argument, std::ostream& out) {
    int layer = session.layer;
    if (!argument.empty()) {
        try {
            layer = static_cast<int>(read_integer(argument, {0, session.config().num_hidden_layers - 1}));
        } catch (Error& error) {
            throw error.at("list " + argument).help("list, or list 0: the stages of a layer");
        }
    }
    const std::vector<Stage>& stages = session.recording->stages();
    const auto is_listed = [&](std::size_t i) {
        return i < stages.size() && (stages[i].site().layer < 0 || stages[i].site().layer == layer);
    };
    for (std::size_t first = 0; first < stages.size(); ++first) {  // three runs of stages: before, the layer, after
        if (!is_listed(first)) continue;
        std::size_t last = first;
        while (is_listed(last + 1)) ++last;
        out << stage_lines(session, first, last);
        first = last;
    }
}

void add_line(const SessionState& session, std::ostream& out, const Words& label, const std::string& text) {
    if (!text.empty()) out << labelled(label.in(session.language), text, session.width);
}

/// What enters every block beside the hidden states.
void say_what_enters(const SessionState& session, std::ostream& out) {
    const Recording& recording = *session.recording;
    const auto [batch, seq] = recording.batch();
    const std::int64_t past = recording.past();
    const ModelConfig& config = session.config();
    out << session.words("a block gets, beside x:\n", "除 x 之外，每一层还会拿到：\n");
    add_line(
        session, out, {"  rope", "  rope"},
        fmt::format(fmt::runtime(session.words("cos and sin [S={}, D={}], positions {} to {}; the same for all layers",
                                               "cos 与 sin [S={}, D={}]，位置 {} 到 {}；各层共用")),
                    seq, config.head_dim, past, past + seq - 1));
    add_line(session, out, {"  cache", "  缓存"},
             past == 0 ? session.words("none: T = S keys", "没有：T = S 个 key")
                       : fmt::format(fmt::runtime(session.words(
                                         "keys and values [B={}, P={}, k={}, D={}] of this layer; T = P + S = {} keys",
                                         "本层的 key 与 value [B={}, P={}, k={}, D={}]；T = P + S = {} 个 key")),
                                     batch, past, config.num_key_value_heads, config.head_dim, past + seq));
    const arma::fmat& mask = recording.input().attention_mask;
    const auto hidden = static_cast<std::int64_t>(mask.n_elem) - static_cast<std::int64_t>(arma::accu(mask));
    add_line(
        session, out, {"  mask", "  mask"},
        mask.is_empty()
            ? session.words("none given; the causal one is always there: row i sees keys 0 to P + i",
                            "没有给；因果 mask 总是有的：第 i 行看到 key 0 到 P + i")
            : fmt::format(fmt::runtime(session.words("[B={}, T={}], {} keys hidden as padding; and the causal one",
                                                     "[B={}, T={}]，{} 个 key 作为 padding 被遮住；另有因果 mask")),
                          batch, past + seq, hidden));
}

void info_command(SessionState& session, const std::string& argument, std::ostream& out) {
    const Site site = argument.empty() ? session.stage().site() : site_named(session, argument);
    const TensorView values = values_of(session, site, out);
    const Stage& stage = session.recording->stage(session.recording->find(site));
    const std::string alias = site_alias(site);
    add_line(session, out, {"name", "名字"}, stage.name());
    add_line(session, out, {"alias", "别名"}, alias);
    add_line(session, out, {"formula", "公式"}, formula_text(site.point, session.config().use_moe, session.language));
    add_line(session, out, {"shape", "shape"},
             named_shape_text(axis_names(site.point), stage.record.shape, session.language) +
                 (values.dtype() == Dtype::f32 ? "  float32, " : "  int64, ") +
                 bytes_text(static_cast<double>(values.count()) * (values.dtype() == Dtype::f32 ? 4.0 : 8.0)));
    const bool is_view = stage.record.f32.empty() && stage.record.i64.empty() && is_view_of_another(site.point);
    if (is_view)
        add_line(session, out, {"memory", "内存"},
                 session.words("the bytes of an earlier stage, seen again", "与前面某个阶段是同一段内存"));
    add_line(session, out, {"stats", "统计"}, statistics_line(stage.record.statistics));
    add_line(session, out, {"edits", "改动"},
             info(site.point).editable
                 ? session.words("ablate, scale and set may change it", "可用 ablate、scale、set 改动")
                 : session.words("cannot be changed itself", "本身不能改动"));
    if (site.layer >= 0) say_what_enters(session, out);
    if (!session.recording->edits().empty()) {
        for (const StageEdit& edit : session.recording->edits())
            out << session.words("changed: ", "已改动：") << edit.text() << "\n";
    }
}

void print_command(SessionState& session, const std::string& argument, std::ostream& out) {
    const StageArgument stage = stage_argument(session, argument);
    const TensorView values = values_of(session, stage.site, out);
    const Selection selection = select(stage.slice, values.shape(), stage.text);
    const std::string name = short_name(stage.site, session.layer) + slice_text(stage.slice);
    out << name;
    if (!selection.is_element()) out << "  " << list_text(selection.shape());
    out << "\n" << value_table(values, selection, session.width);
}

/// Where a value is: the first element that has it.
std::string where_is(const TensorView& values, double wanted) {
    Selection everything = select({}, values.shape(), "");
    const std::vector<double> all = selected_values(values, everything);
    const auto found = std::ranges::find(all, wanted);
    return found == all.end() ? "" : list_text(index_of(everything, found - all.begin()));
}

void stats_command(SessionState& session, const std::string& argument, std::ostream& out) {
    const StageArgument stage = stage_argument(session, argument);
    const TensorView values = values_of(session, stage.site, out);
    const Selection selection = select(stage.slice, values.shape(), stage.text);
    const std::vector<double> chosen = selected_values(values, selection);
    std::vector<float> floats(chosen.begin(), chosen.end());
    const TensorView part(floats.data(), selection.shape());
    const Statistics s = statistics_of(part);
    out << short_name(stage.site, session.layer) << slice_text(stage.slice) << "  " << list_text(selection.shape())
        << "\n";
    const auto line = [&](const char* name, double value, const std::string& more = "") {
        out << fmt::format("  {:<9}{:.6g}{}{}\n", name, value, more.empty() ? "" : "   at ", more);
    };
    line("count", static_cast<double>(s.count));
    line("mean", s.mean);
    line("std", s.std);
    line("min", s.min, stage.slice.empty() ? where_is(part, s.min) : "");
    line("max", s.max, stage.slice.empty() ? where_is(part, s.max) : "");
    line("rms", s.rms);
    line("mean_rms", static_cast<double>(s.mean_rms));
    out << fmt::format("  {:<9}{}   inf {}   -inf {}\n", "nan", s.nan_count, s.pos_inf_count, s.neg_inf_count);
}

}  // namespace

std::vector<StepCommand> look_commands() {
    std::vector<StepCommand> commands = {
        {"list",
         {"l"},
         "list [LAYER]",
         {"the stages, with the current one marked", "列出各阶段，并标出当前位置"},
         {},
         list},
        {"info",
         {"i"},
         "info [STAGE]",
         {"name, alias, memory, and what enters the block beside x", "名字、别名、内存，以及除 x 之外进入本层的东西"},
         {},
         info_command,
         false,
         true},
        {"print",
         {"p"},
         "print [STAGE[slice]]",
         {"the numbers", "打印数值"},
         {"print scores[0,1,:,-1:]   print q_rope[0,-1]   print [..., :4]   print resid_mid[0,3,5]",
          "print scores[0,1,:,-1:]   print q_rope[0,-1]   print [..., :4]   print resid_mid[0,3,5]"},
         print_command,
         false,
         true},
        {"stats",
         {},
         "stats [STAGE[slice]]",
         {"mean, std, min, max, rms, NaN and infinity", "均值、标准差、最小、最大、rms、NaN 与无穷"},
         {},
         stats_command,
         false,
         true},
        {"heat",
         {},
         "heat [STAGE[slice]]",
         {"a matrix in shades, from light to dark", "用由浅到深的字符画矩阵"},
         {"heat attn_weights[0,1] draws head 1 of row 0. Where more than two axes are left, the first of each is "
          "drawn.",
          "heat attn_weights[0,1] 画第 0 行第 1 个头。剩余的轴多于两个时，其余各轴取第一个。"},
         heat_command,
         false,
         true},
        {"curve",
         {},
         "curve [STAGE[slice]]",
         {"a row of numbers as a curve", "把一行数画成曲线"},
         {"curve q_rope[0,-1,0]   curve resid_post[0,:,7]", "curve q_rope[0,-1,0]   curve resid_post[0,:,7]"},
         curve_command,
         false,
         true},
    };
    return commands;
}

}  // namespace minimind
