#include "console/token_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "console/cells.hpp"
#include "console/numbers.hpp"
#include "core/error.hpp"
#include "io/json_text.hpp"
#include "io/mapped_file.hpp"
#include "io/npy.hpp"

namespace minimind {

namespace {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string_view without_spaces_around(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// The pieces between separators: one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    std::size_t start = 0;
    while (true) {
        const std::size_t end = text.find(separator, start);
        pieces.push_back(text.substr(start, end - start));
        if (end == std::string_view::npos) return pieces;
        start = end + 1;
    }
}

/// Collects rows and sees that they have one length.
class RowBuilder {
  public:
    explicit RowBuilder(std::string where) : where_(std::move(where)) {}

    void add(std::int64_t value) {
        rows_.ids.push_back(value);
        ++length_;
    }

    void end_row() {
        const std::int64_t row = rows_.batch.batch;
        if (length_ == 0) throw Error(fmt::format("row {} is empty", row)).at(where_);
        if (row > 0 && length_ != rows_.batch.seq) {
            throw Error("the rows have different lengths")
                .at(where_)
                .note(fmt::format("row 0 has length {}, row {} has length {}", rows_.batch.seq, row, length_))
                .help("pad the shorter rows, and hide the padding with --attention_mask");
        }
        rows_.batch = {row + 1, length_};
        length_ = 0;
    }

    /// Where the next value goes: "[0, 2]".
    std::string position() const { return fmt::format("[{}, {}]", rows_.batch.batch, length_); }
    const std::string& where() const { return where_; }
    TokenIds rows() const { return rows_; }

  private:
    std::string where_;
    TokenIds rows_;
    std::int64_t length_ = 0;
};

TokenIds rows_of_text(std::string_view text, const std::string& where) {
    RowBuilder builder(where);
    for (const std::string_view row : split(text, ';')) {
        if (without_spaces_around(row).empty()) builder.end_row();  // throws
        for (const std::string_view piece : split(row, ',')) {
            try {
                builder.add(read_integer(without_spaces_around(piece)));
            } catch (Error& error) {
                error.at(where).note("this is the value at " + builder.position());
                throw;
            }
        }
        builder.end_row();
    }
    return builder.rows();
}

void add_json_value(RowBuilder& builder, const nlohmann::json& value) {
    const bool is_too_large =
        value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{IntegerRange{}.most};
    if (!value.is_number_integer() || is_too_large) {
        throw Error(fmt::format("expected a whole number at {}, found {}", builder.position(), json_kind(value)))
            .at(builder.where())
            .note(fmt::format("it is {}",
                              printable(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))));
    }
    builder.add(value.get<std::int64_t>());
}

TokenIds rows_of_json(const nlohmann::json& json, const std::string& where) {
    if (!json.is_array() || json.empty()) {
        throw Error(fmt::format("expected a list of whole numbers or of such lists, found {}",
                                json.is_array() ? "an empty list" : json_kind(json)))
            .at(where);
    }
    RowBuilder builder(where);
    if (!json.front().is_array()) {
        for (const nlohmann::json& value : json) add_json_value(builder, value);
        builder.end_row();
        return builder.rows();
    }
    for (const nlohmann::json& row : json) {
        if (!row.is_array()) throw Error(fmt::format("expected a list, found {}", json_kind(row))).at(where);
        for (const nlohmann::json& value : row) add_json_value(builder, value);
        builder.end_row();
    }
    return builder.rows();
}

TokenIds rows_of_npy(const std::string& path, const std::string& where) {
    IntegerArray array = read_npy_integers(path);
    const bool is_one_row = array.shape.size() == 1;
    TokenIds rows;
    rows.batch = is_one_row ? Batch{1, array.shape[0]} : Batch{array.shape.at(0), array.shape.at(1)};
    rows.ids = std::move(array.values);
    if (rows.ids.empty()) throw Error("the array has no values").at(where);
    return rows;
}

/// A long list of ids in a file is more than a config has.
JsonLimits row_limits() {
    JsonLimits limits;
    limits.bytes = std::size_t{1} << 30;
    limits.depth = 4;
    return limits;
}

}  // namespace

TokenIds read_rows(const std::string& flag, const std::string& value) {
    const std::string where = flag_with_value(flag, value);
    if (value.empty()) {
        throw Error(fmt::format("{} is empty", flag)).at(where).help("write rows as 1,2,3;4,5,6");
    }
    if (ends_with(value, ".npy")) return rows_of_npy(value, where);
    if (ends_with(value, ".json")) {
        const MappedFile file(value);
        return rows_of_json(parse_json(file.text(), value, row_limits()), where);
    }
    if (value.front() == '[') return rows_of_json(parse_json(value, where, row_limits()), where);
    return rows_of_text(value, where);
}

void check_values(const TokenIds& rows, const AllowedValues& allowed, const std::string& where) {
    for (std::int64_t b = 0; b < rows.batch.batch; ++b) {
        for (std::int64_t s = 0; s < rows.batch.seq; ++s) {
            const std::int64_t value = rows.at(b, s);
            if ((value >= 0 && value < allowed.size) || value == allowed.also_allowed) continue;
            throw Error(fmt::format("{} {} at [{}, {}] is out of range", allowed.meaning, value, b, s))
                .at(where)
                .note(allowed.rule);
        }
    }
}

std::string flag_with_value(const std::string& flag, const std::string& value) {
    return flag + " " + (value.empty() ? "\"\"" : truncated(visible(value), 100));
}

}  // namespace minimind
