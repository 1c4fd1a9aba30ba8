#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace minimind {

Error& Error::at(std::string where) {
    where_ = std::move(where);
    return *this;
}

Error& Error::note(std::string text) {
    notes_.push_back(std::move(text));
    return *this;
}

Error& Error::help(std::string text) {
    helps_.push_back(std::move(text));
    return *this;
}

Error& Error::exit_code(int code) {
    exit_code_ = code;
    return *this;
}

namespace {

std::string normalised(std::string_view name) {
    std::string result(name);
    for (char& c : result) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

/// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
    const std::string wanted = normalised(name);
    std::string nearest;
    std::size_t least = wanted.size() / 3 + 1;  // one more than what still counts as near
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(wanted, normalised(candidate));
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace minimind
