// The commands that lead from a stage to what can be read: its parameters, its source, its lesson.
#include <fmt/format.h>

#include <ostream>

#include "console/called_as.hpp"
#include "console/cells.hpp"
#include "console/table.hpp"
#include "core/text.hpp"
#include "lessons/rendered.hpp"
#include "model/parameters.hpp"
#include "stepper/command.hpp"
#include "stepper/picture.hpp"
#include "stepper/stage_lessons.hpp"
#include "stepper/stage_parameters.hpp"
#include "trace/statistics.hpp"

namespace minimind {

namespace {

Site site_or_current(const SessionState& session, const std::string& name) {
    return name.empty() ? session.stage().site() : site_named(session, name);
}

void params(SessionState& session, const std::string& name, std::ostream& out) {
    const Site site = site_or_current(session, name);
    const std::vector<StageParameter> parameters = parameters_of(session.model, site);
    const std::int64_t total = parameter_count(session.config());
    if (parameters.empty()) {
        out << site_name(site) << session.words(" reads no parameters\n", " 不用任何参数\n");
        return;
    }
    Table table({{session.words("parameter", "参数")},
                 {"shape"},
                 {session.words("count", "个数"), Align::right},
                 {session.words("share", "占比"), Align::right},
                 {session.words("mean", "均值"), Align::right},
                 {"std", Align::right}});
    for (const StageParameter& parameter : parameters) {
        const std::int64_t count = parameter.info.count();
        const Statistics statistics = statistics_of(TensorView(parameter.values->memptr(), parameter.info.shape));
        table.add_row({parameter.short_name, list_text(parameter.info.shape), with_commas(count),
                       fmt::format("{:.2f}%", 100.0 * static_cast<double>(count) / static_cast<double>(total)),
                       number_text(statistics.mean), number_text(statistics.std)});
    }
    out << table.text();
    if (parameters.front().is_tied_head) {
        out << session.words("the embedding's table: the head is tied to it\n", "就是嵌入表：输出头与它共享\n");
    }
}

/// Lines with their numbers, that of `marked` with an arrow; longer ones go on in the next line, a little further in.
void print_code(const SessionState& session, const SourceCode& code, int marked, std::ostream& out) {
    constexpr std::size_t margin = 8;
    int number = code.first_line;
    for (const std::string& line : code.lines) {
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t room =
            std::max<std::size_t>(session.width - std::min(session.width, margin + indent + 4), 20);
        std::string label = fmt::format("{} {:>3}  ", number == marked ? "->" : "  ", number);
        std::string begin(indent, ' ');
        for (const std::string& part : wrap(line.substr(indent), room)) {
            const std::string shown = label + begin + part;
            const std::string text = shown.substr(0, shown.find_last_not_of(' ') + 1);
            out << (number == marked ? session.paint.bold(text) : text) << "\n";
            label = std::string(margin, ' ');
            begin = std::string(indent + 4, ' ');
        }
        ++number;
    }
}

void source(SessionState& session, const std::string& name, std::ostream& out) {
    constexpr int lines_around = 2;
    const Site site = site_or_current(session, name);
    const bool use_moe = session.config().use_moe;
    out << labelled("PyTorch", std::string(pytorch_of(site.point, use_moe)), session.width);

    const SourceLine announced = source_of(site.point);
    const std::string file(announced.file);
    const SourcePlace place = function_of(site.point, use_moe);
    const SourceCode function = function_source(std::string(place.file), std::string(place.function));
    const int last_line = function.first_line + static_cast<int>(function.lines.size()) - 1;
    const bool is_inside = file == place.file && announced.line >= function.first_line && announced.line <= last_line;
    if (!is_inside) {
        out << "\n" << session.paint.dim(file) << "\n";
        const int first = std::max(announced.line - lines_around, 1);
        print_code(session, source_lines(file, first, announced.line + lines_around), announced.line, out);
    }
    out << "\n" << session.paint.dim(fmt::format("{}: {}", place.file, place.function)) << "\n";
    print_code(session, function, is_inside ? announced.line : 0, out);
}

void explain(SessionState& session, const std::string& name, std::ostream& out) {
    const Site site = site_or_current(session, name);
    const LessonPlace place = lesson_of(site.point, session.config().use_moe);
    Rendering rendering;
    rendering.width = session.width;
    rendering.paint = session.paint;
    rendering.language = session.language;
    rendering.folder = "lessons/" + language_code(session.language);
    out << rendered_markdown(lesson_part(place, session.language), rendering) << "\n"
        << as_called(fmt::format(fmt::runtime(session.words("from lesson {}: `minimind lessons {}`",
                                                            "摘自第 {} 课：`minimind lessons {}`")),
                                 place.lesson, place.lesson))
        << "\n";
}

}  // namespace

std::vector<StepCommand> reading_commands() {
    return {
        {"params", {}, "params [STAGE]", {"the parameters that it reads", "它用到的参数"}, {}, params, false, true},
        {"source",
         {},
         "source [STAGE]",
         {"the line of PyTorch, and the C++ that computed it", "对应的 PyTorch 一行，以及实际计算它的 C++"},
         {},
         source,
         false,
         true},
        {"explain",
         {"e"},
         "explain [STAGE]",
         {"what the lesson says of it", "课程里对它的讲解"},
         {},
         explain,
         false,
         true},
    };
}

}  // namespace minimind
