#include "compare_activations/textbook.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "model/activation.hpp"

namespace minimind {

namespace {

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double silu(double x) {
    return x * sigmoid(x);
}

double silu_slope(double x) {
    const double s = sigmoid(x);
    return s * (1.0 + x * (1.0 - s));
}

double normal_cdf(double x) {
    return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
}

double gelu(double x) {
    return x * normal_cdf(x);
}

double gelu_slope(double x) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    return normal_cdf(x) + x * density;
}

constexpr double tanh_scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
constexpr double tanh_cubic = 0.044715;

double gelu_tanh(double x) {
    return 0.5 * x * (1.0 + std::tanh(tanh_scale * (x + tanh_cubic * x * x * x)));
}

double gelu_tanh_slope(double x) {
    const double t = std::tanh(tanh_scale * (x + tanh_cubic * x * x * x));
    const double inner_slope = tanh_scale * (1.0 + 3.0 * tanh_cubic * x * x);
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner_slope;
}

double relu(double x) {
    return x > 0.0 ? x : 0.0;
}

double relu_slope(double x) {
    return x > 0.0 ? 1.0 : 0.0;
}

const std::vector<TextbookActivation>& all_activations() {
    static const std::vector<TextbookActivation> all = {{"silu", 's', silu, silu_slope},
                                                        {"gelu", 'g', gelu, gelu_slope},
                                                        {"gelu_new", 'n', gelu_tanh, gelu_tanh_slope},
                                                        {"gelu_pytorch_tanh", 't', gelu_tanh, gelu_tanh_slope},
                                                        {"relu", 'r', relu, relu_slope}};
    return all;
}

const TextbookActivation& activation_named(const std::string& name) {
    for (const TextbookActivation& activation : all_activations()) {
        if (activation.name == name) return activation;
    }
    Error error(fmt::format("unknown activation '{}'", name));
    error.note(fmt::format("known: {}", fmt::join(activation_names(), ", ")));
    const std::string nearest = name == "swish" ? "silu" : nearest_name(name, activation_names());
    if (!nearest.empty()) error.help(fmt::format("did you mean '{}'?", nearest));
    throw error;
}

/// A grid finds the valley of sign * function, ternary search its bottom.
Extreme lowest(RealFunction function, double sign) {
    constexpr int steps = 2000;
    const auto x_of = [](int i) { return -10.0 + 0.01 * i; };
    const auto height = [&](double x) { return sign * function(x); };
    int lowest = 0;
    for (int i = 1; i <= steps; ++i) {
        if (height(x_of(i)) < height(x_of(lowest))) lowest = i;
    }
    const bool is_valley = lowest > 0 && lowest < steps && height(x_of(lowest + 1)) > height(x_of(lowest));
    if (!is_valley) return {function(x_of(lowest)), std::nan("")};

    double left = x_of(lowest - 1);
    double right = x_of(lowest + 1);
    for (int i = 0; i < 60; ++i) {  // each round keeps two thirds
        const double a = left + (right - left) / 3.0;
        const double b = right - (right - left) / 3.0;
        if (height(a) < height(b)) {
            right = b;
        } else {
            left = a;
        }
    }
    const double bottom = 0.5 * (left + right);
    return {function(bottom), bottom};
}

}  // namespace

std::vector<TextbookActivation> textbook_activations(const std::string& names) {
    std::vector<TextbookActivation> chosen;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t comma = std::min(names.find(',', begin), names.size());
        chosen.push_back(activation_named(names.substr(begin, comma - begin)));
        begin = comma + 1;
    }
    return chosen;
}

Extreme least_value(RealFunction function) {
    return lowest(function, 1.0);
}

Extreme largest_value(RealFunction function) {
    return lowest(function, -1.0);
}

}  // namespace minimind
