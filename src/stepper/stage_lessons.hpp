// Where the lessons explain a stage, and which function computes it.
#pragma once

#include <string>
#include <string_view>

#include "console/language.hpp"
#include "lessons/rendered.hpp"
#include "report/source_code.hpp"
#include "trace/point.hpp"

namespace minimind {

/// A part of a lesson's section `principle`: what stands under one of its ### headings.
struct LessonPlace {
    int lesson = 0;
    std::string_view heading;  // how that heading begins in the English lesson; in the other one it has the same place
};
LessonPlace lesson_of(Point point, bool use_moe);

/// That part as Markdown, with its heading. Throws Error if there is none.
std::string lesson_part(const LessonPlace& place, Language language);

/// The function whose result a stage is.
struct SourcePlace {
    std::string_view file;      // "src/model/products.cpp"
    std::string_view function;  // "linear"
};
SourcePlace function_of(Point point, bool use_moe);

}  // namespace minimind
