// Reading a shape.
#include <cctype>

#include "lessons/written_answer.hpp"

namespace minimind {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 53;
constexpr std::size_t most_axes = 16;

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
    if (b != 0 && a > most / b) return std::nullopt;
    return a * b;
}

/// One axis: sums and differences of products of numbers and symbols.
class AxisReader {
  public:
    AxisReader(std::string_view text, const Symbols& symbols) : text_(text), symbols_(symbols) {}

    std::optional<std::int64_t> read() {
        std::int64_t sum = 0;
        bool is_taken_off = false;
        do {
            const std::optional<std::int64_t> term = read_term();
            if (!term) return std::nullopt;
            sum += is_taken_off ? -*term : *term;
            if (sum < 0 || sum > most) return std::nullopt;
            is_taken_off = take('-');
        } while (is_taken_off || take('+'));
        skip_spaces();
        return at_ == text_.size() ? std::optional(sum) : std::nullopt;
    }

  private:
    /// Factors with or without a sign between them: h*D, hxD, hD, 4L.
    std::optional<std::int64_t> read_term() {
        std::optional<std::int64_t> term = read_factor();
        while (term) {
            const bool has_sign = take('*') || take('x');
            skip_spaces();
            if (!has_sign && (at_ == text_.size() || std::isalpha(static_cast<unsigned char>(text_[at_])) == 0)) break;
            const std::optional<std::int64_t> factor = read_factor();
            term = factor ? product(*term, *factor) : std::nullopt;
        }
        return term;
    }

    std::optional<std::int64_t> read_factor() {
        skip_spaces();
        const std::size_t first = at_;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        if (at_ > first) return number(text_.substr(first, at_ - first));
        while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        return name(text_.substr(first, at_ - first));
    }

    static std::optional<std::int64_t> number(std::string_view digits) {
        std::int64_t value = 0;
        for (const char digit : digits) {
            value = 10 * value + (digit - '0');
            if (value > most) return std::nullopt;
        }
        return value;
    }

    /// hidden_size, H, or letters side by side: hD.
    std::optional<std::int64_t> name(std::string_view letters) const {
        if (const auto found = symbols_.find(letters); found != symbols_.end()) return found->second;
        std::optional<std::int64_t> value = letters.empty() ? std::nullopt : std::optional<std::int64_t>(1);
        for (const char letter : letters) {
            const auto found = symbols_.find(std::string(1, letter));
            if (!value || found == symbols_.end()) return std::nullopt;
            value = product(*value, found->second);
        }
        return value;
    }

    bool take(char sign) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != sign) return false;
        ++at_;
        return true;
    }

    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    std::string_view text_;
    const Symbols& symbols_;
    std::size_t at_ = 0;
};

/// Without "torch.Size", "shape =" and one pair of brackets around it.
std::string_view without_wrapping(std::string_view text) {
    const auto skip = [&text](std::string_view what) {
        if (text.substr(0, what.size()) == what) text.remove_prefix(what.size());
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    };
    for (const std::string_view what : {"torch.Size", "shape", "size", "=", ":"}) skip(what);
    for (int pair = 0; pair < 2 && text.size() >= 2; ++pair) {
        const bool is_round = text.front() == '(' && text.back() == ')';
        const bool is_square = text.front() == '[' && text.back() == ']';
        if (!is_round && !is_square) break;
        text = text.substr(1, text.size() - 2);
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find_first_of(separators);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_empty(std::string_view part) {
    return part.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

std::optional<Shape> read_shape(std::string_view written, const Symbols& symbols) {
    const std::string half = half_width(written);
    if (half.empty()) return std::nullopt;
    if (half == "scalar" || half == "标量") return Shape{};
    const std::string_view inner = without_wrapping(half);
    if (is_empty(inner)) return inner.size() < half.size() ? std::optional(Shape{}) : std::nullopt;

    const bool has_commas = inner.find_first_of(",;") != std::string_view::npos;
    std::vector<std::string_view> parts = split(inner, has_commas ? ",;" : "x* ");
    if (has_commas && is_empty(parts.back())) parts.pop_back();  // Python's (64,)
    Shape shape;
    for (const std::string_view part : parts) {
        if (!has_commas && is_empty(part)) continue;  // spaces around a cross
        const std::optional<std::int64_t> axis = AxisReader(part, symbols).read();
        if (!axis || shape.size() == most_axes) return std::nullopt;
        shape.push_back(*axis);
    }
    return shape.empty() ? std::nullopt : std::optional(shape);
}

}  // namespace minimind
