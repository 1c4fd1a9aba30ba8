#include "io/npy_header.hpp"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "core/error.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

/// Reads the header's Python dict. Only what NumPy writes is understood: strings, True and False, tuples of integers.
class HeaderReader {
  public:
    HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader read() {
        NpyHeader header;
        bool has_type = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr" && !std::exchange(has_type, true)) {
                header.type = string();
            } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
                header.fortran_order = truth();
            } else if (key == "shape" && !std::exchange(has_shape, true)) {
                header.shape = tuple();
            } else {
                fail();
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!has_type || !has_order || !has_shape) fail();
        return header;
    }

  private:
    [[noreturn]] void fail() const {
        throw Error("the .npy header cannot be understood")
            .at(name_)
            .note("it reads: " + printable(text_))
            .help("save the array with numpy.save; arrays of records and of objects cannot be read");
    }

    void skip_spaces() {
        while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    }

    bool accept(char wanted) {
        skip_spaces();
        if (text_.empty() || text_.front() != wanted) return false;
        text_.remove_prefix(1);
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) fail();
    }

    std::string string() {
        expect('\'');
        const std::size_t end = text_.find('\'');
        if (end == std::string_view::npos) fail();
        const std::string value(text_.substr(0, end));
        text_.remove_prefix(end + 1);
        return value;
    }

    bool truth() {
        skip_spaces();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>("True", true), {"False", false}}) {
            if (text_.substr(0, word.size()) == word) {
                text_.remove_prefix(word.size());
                return value;
            }
        }
        fail();
    }

    Shape tuple() {
        Shape shape;
        expect('(');
        while (!accept(')')) {
            shape.push_back(integer());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return shape;
    }

    std::int64_t integer() {
        skip_spaces();
        std::int64_t value = 0;
        std::size_t digits = 0;
        for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
            if (value > std::numeric_limits<std::int64_t>::max() / 10 - 1) fail();
            value = value * 10 + (text_[digits] - '0');
        }
        if (digits == 0) fail();
        text_.remove_prefix(digits);
        return value;
    }

    std::string_view text_;
    const std::string& name_;
};

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.substr(0, npy_magic.size()) != npy_magic || file.size() < npy_magic.size() + 2) {
        throw Error("this is no .npy file").at(name).note("a .npy file begins with the byte 0x93 and NUMPY");
    }
    const unsigned major = static_cast<unsigned char>(text[npy_magic.size()]);
    if (major < 1 || major > 3) throw Error(fmt::format("version {} of the .npy format is unknown", major)).at(name);
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t header_begin = npy_magic.size() + 2 + length_bytes;
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes && header_begin <= file.size(); ++i) {
        length |= std::size_t{static_cast<unsigned char>(text[npy_magic.size() + 2 + i])} << (8 * i);
    }
    if (header_begin > file.size() || length > file.size() - header_begin) {
        throw Error("the .npy file is cut off in its header").at(name).help("save it again");
    }
    NpyHeader header = HeaderReader(text.substr(header_begin, length), name).read();
    header.elements_begin = header_begin + length;
    return header;
}

}  // namespace minimind
