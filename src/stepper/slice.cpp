#include "stepper/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console/numbers.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

constexpr const char* how_to_slice = "as in Python: [0,1,:,-1:], [::2], [..., :4]; what is left out means :";

std::string without_blanks(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ' && c != '\t') result.push_back(c);
    }
    return result;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at) {
            parts.emplace_back();
        } else {
            parts.back().push_back(c);
        }
    }
    return parts;
}

/// The number in one part of a slice. Positions beyond 2^31 are no tensor's; a bound keeps sums far from overflow.
std::int64_t bound(const std::string& text, const std::string& whole) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    try {
        return read_integer(text, {-most, most});
    } catch (const Error&) {
        throw Error("'" + text + "' is no index").at(whole).help(how_to_slice);
    }
}

AxisSlice parse_axis(const std::string& text, const std::string& whole) {
    AxisSlice axis;
    if (text.empty()) throw Error("an index is missing between two commas").at(whole).help(how_to_slice);
    if (text == "...") {
        axis.is_ellipsis = true;
        return axis;
    }
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() == 1) {
        axis.is_index = true;
        axis.index = bound(text, whole);
        return axis;
    }
    if (parts.size() > 3) throw Error("a range is start:stop:step").at(whole).help(how_to_slice);
    if (!parts[0].empty()) axis.start = bound(parts[0], whole);
    if (!parts[1].empty()) axis.stop = bound(parts[1], whole);
    if (parts.size() == 3 && !parts[2].empty()) axis.step = bound(parts[2], whole);
    if (axis.step == 0)
        throw Error("a step cannot be 0").at(whole).help("[::1] takes every position, [::2] every second");
    return axis;
}

std::string number_or_nothing(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "";
}

}  // namespace

std::string AxisSlice::text() const {
    if (is_ellipsis) return "...";
    if (is_index) return std::to_string(index);
    const std::string range = number_or_nothing(start) + ":" + number_or_nothing(stop);
    return step == 1 ? range : range + ":" + std::to_string(step);
}

Slice parse_slice(const std::string& text) {
    std::string inner = without_blanks(text);
    if (inner.starts_with('[') != inner.ends_with(']') || inner == "[") {
        throw Error("a bracket is missing").at(text).help(how_to_slice);
    }
    if (inner.starts_with('[')) inner = inner.substr(1, inner.size() - 2);
    if (inner.empty()) return {};
    if (inner.ends_with(',')) inner.pop_back();  // Python's x[0,]
    Slice slice;
    for (const std::string& part : split(inner, ',')) slice.push_back(parse_axis(part, text));
    if (std::ranges::count_if(slice, &AxisSlice::is_ellipsis) > 1) {
        throw Error("'...' can stand only once").at(text).help(how_to_slice);
    }
    return slice;
}

std::string slice_text(const Slice& slice) {
    if (slice.empty()) return "";
    std::string text;
    for (const AxisSlice& axis : slice) text += (text.empty() ? "" : ", ") + axis.text();
    return "[" + text + "]";
}

}  // namespace minimind
