#include "tokenizer/normal_form.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/error.hpp"
#include "tokenizer/utf8.hpp"

namespace minimind {

namespace {

int combining_class(char32_t code_point) {
    return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
}

/// Sorts each run of combining marks into canonical order (by class, equal ones in their old order), which every
/// normal form does anyway. utf8proc sorts by swapping neighbours: a run of a million marks would take it hours.
std::string with_sorted_marks(std::string_view text) {
    std::u32string code_points = decode_utf8(text);
    const auto by_class = [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); };
    const auto is_mark = [](char32_t c) { return combining_class(c) != 0; };
    auto begin = code_points.begin();
    while (begin != code_points.end()) {
        begin = std::find_if(begin, code_points.end(), is_mark);
        const auto end = std::find_if_not(begin, code_points.end(), is_mark);
        std::stable_sort(begin, end, by_class);
        begin = end;
    }
    return encode_utf8(code_points);
}

int utf8proc_options(NormalForm form) {
    switch (form) {
        case NormalForm::nfc:
            return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
        case NormalForm::nfd:
            return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
        case NormalForm::nfkc:
            return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
        case NormalForm::nfkd:
            return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    }
    return 0;
}

}  // namespace

std::string normal_form(std::string_view text, NormalForm form) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
    const std::string sorted = with_sorted_marks(text);
    utf8proc_uint8_t* result = nullptr;
    const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(sorted.data()),
                                               static_cast<utf8proc_ssize_t>(sorted.size()), &result,
                                               static_cast<utf8proc_option_t>(utf8proc_options(form)));
    if (size < 0) throw Error("the text cannot be normalised").note(utf8proc_errmsg(size));
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(result, std::free);
    return std::string(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
}

}  // namespace minimind
