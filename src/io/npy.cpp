#include "io/npy.hpp"

#include <fmt/core.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "io/file_kind.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"
#include "io/output_file.hpp"
#include "io/stored_type.hpp"

namespace minimind {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
    std::string type;
    bool fortran_order = false;
    Shape shape;
};

/// Reads the header's Python dict. Only what NumPy writes is understood: strings, True and False, tuples of integers.
class HeaderReader {
  public:
    HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Header read() {
        Header header;
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

/// The header's text and, after it, the elements' bytes.
std::pair<std::string_view, std::span<const std::byte>> split(std::span<const std::byte> file,
                                                              const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (text.substr(0, magic.size()) != magic || file.size() < magic.size() + 2) {
        throw Error("this is no .npy file").at(name).note("a .npy file begins with the byte 0x93 and NUMPY");
    }
    const unsigned major = static_cast<unsigned char>(text[magic.size()]);
    if (major < 1 || major > 3) throw Error(fmt::format("version {} of the .npy format is unknown", major)).at(name);
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t header_begin = magic.size() + 2 + length_bytes;
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes && header_begin <= file.size(); ++i) {
        length |= std::size_t{static_cast<unsigned char>(text[magic.size() + 2 + i])} << (8 * i);
    }
    if (header_begin > file.size() || length > file.size() - header_begin) {
        throw Error("the .npy file is cut off in its header").at(name).help("save it again");
    }
    return {text.substr(header_begin, length), file.subspan(header_begin + length)};
}

std::optional<StoredType> integer_type(std::string_view npy_name) {
    constexpr std::pair<std::string_view, StoredType> known[] = {
        {"<i8", StoredType::i64}, {"<i4", StoredType::i32}, {"<i2", StoredType::i16},
        {"|i1", StoredType::i8},  {"|u1", StoredType::u8},  {"|b1", StoredType::boolean}};
    for (const auto& [name, type] : known) {
        if (name == npy_name) return type;
    }
    return std::nullopt;
}

/// How many elements the shape has, if that many can lie in `bytes` bytes.
std::optional<std::size_t> count_within(const Shape& shape, std::size_t size, std::size_t bytes) {
    std::size_t count = 1;
    for (const std::int64_t axis : shape) {
        const std::size_t factor = static_cast<std::size_t>(axis);
        if (factor != 0 && count > bytes / size / factor) return std::nullopt;
        count *= factor;
    }
    return count;
}

}  // namespace

void write_npy(const std::filesystem::path& path, const TensorView& tensor) {
    const bool is_float = tensor.dtype() == Dtype::f32;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                     is_float ? "<f4" : "<i8", shape_text(tensor.shape()));
    constexpr std::size_t before_header = 10;
    header.resize((before_header + header.size() + 1 + 63) / 64 * 64 - before_header - 1, ' ');
    header += '\n';

    OutputFile file(path);
    file.write(magic);
    const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                       static_cast<char>(header.size() >> 8)};
    file.write(version_and_length, sizeof version_and_length);
    file.write(header);
    if (is_float) {
        const std::vector<float> values = tensor.to_f32();
        file.write(values.data(), values.size() * sizeof(float));
    } else {
        const std::vector<std::int64_t> values = tensor.to_i64();
        file.write(values.data(), values.size() * sizeof(std::int64_t));
    }
    file.commit();
}

IntegerArray parse_npy_integers(std::span<const std::byte> file, const std::string& name) {
    refuse_stand_ins(file, name);
    const auto [text, elements] = split(file, name);
    const Header header = HeaderReader(text, name).read();
    const std::optional<StoredType> type = integer_type(header.type);
    if (!type) {
        throw Error(fmt::format("integers were expected, but the array's type is '{}'", printable(header.type, 40)))
            .at(name)
            .help("save it as array.astype('<i8')");
    }
    if (header.shape.empty() || header.shape.size() > 2) {
        throw Error(fmt::format("the array has the shape {}", shape_text(header.shape)))
            .at(name)
            .note("one row of numbers, (seq,), or several, (batch, seq), were expected");
    }
    const std::size_t size = stored_type_size(*type);
    const std::optional<std::size_t> count = count_within(header.shape, size, elements.size());
    if (!count || *count * size != elements.size()) {
        throw Error("the .npy file has another length than its header says")
            .at(name)
            .note(fmt::format("shape {} of {} bytes each, {} bytes follow", shape_text(header.shape), size,
                              elements.size()));
    }
    IntegerArray array{header.shape, std::vector<std::int64_t>(*count)};
    stored_to_i64(*type, elements.data(), *count, array.values.data());
    if (header.fortran_order && header.shape.size() == 2) {  // column after column: transpose
        const std::size_t rows = static_cast<std::size_t>(header.shape[0]);
        const std::size_t columns = static_cast<std::size_t>(header.shape[1]);
        const std::vector<std::int64_t> by_column = array.values;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                array.values[row * columns + column] = by_column[column * rows + row];
            }
        }
    }
    return array;
}

IntegerArray read_npy_integers(const std::filesystem::path& path) {
    const MappedFile file(path);
    return parse_npy_integers(file.bytes(), file.name());
}

}  // namespace minimind
