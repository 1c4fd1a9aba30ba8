#include "console/errors.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <system_error>

#include "console/called_as.hpp"
#include "console/cells.hpp"
#include "console/flag_words.hpp"

namespace minimind {

namespace {

/// More than this is no message but the contents of a file.
constexpr std::size_t longest_line = 400;

std::string clean(const std::string& text) {
    return truncated(visible(text), longest_line);
}

void print(const std::string& text) {
    std::fflush(stdout);  // what was printed before comes before the error where both go to one place
    std::fputs(text.c_str(), stderr);
}

int report(const Error& error, const Paint& paint) {
    print(error_text(error, paint));
    return error.exit_code();
}

}  // namespace

std::string error_text(const Error& error, const Paint& paint) {
    std::string text = fmt::format("{} {}\n", paint.red("error:"), paint.bold(clean(error.what())));
    if (!error.where().empty()) text += fmt::format("  {} {}\n", paint.blue("-->"), clean(error.where()));
    for (const std::string& note : error.notes())
        text += fmt::format("  {} {}\n", paint.cyan("note:"), clean(as_called(note)));
    for (const std::string& help : error.helps())
        text += fmt::format("  {} {}\n", paint.green("help:"), clean(as_called(help)));
    return text;
}

std::string error_text(const std::exception& error, const Paint& paint) {
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return error_text(*ours, paint);
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return error_text(Error("there is not enough memory")
                              .note("what was asked for does not fit beside what is in use")
                              .help("use a smaller model, batch_size or seq_len"),
                          paint);
    }
    return error_text(Error(error.what()).note("this is a bug, please report it with the command that led here"),
                      paint);
}

void print_note(const std::string& text, ColorMode color) {
    const Paint paint(use_color(color, Stream::err));
    print(fmt::format("{} {}\n", paint.cyan("note:"), clean(text)));
}

int run_reporting(const std::function<int()>& command, ColorMode color) {
    const Paint paint(use_color(color, Stream::err));
    try {
        const int code = command();
        finish_stdout();
        return code;
    } catch (const Error& error) {
        return report(error, paint);
    } catch (const std::system_error& error) {  // fmt could not write
        return report(
            Error("the output could not be written").at("standard output").note(error.code().message()).exit_code(1),
            paint);
    } catch (const std::exception& error) {
        print(error_text(error, paint));
    } catch (...) {
        print(error_text(std::runtime_error("an exception of an unknown type"), paint));
    }
    return 1;
}

ColorMode color_mode_of(const std::vector<std::string>& words) {
    try {
        return color_mode(early_value(words, "--color"));
    } catch (const Error&) {
        return ColorMode::automatic;
    }
}

}  // namespace minimind
