// The activations as a textbook has them, in double and with their derivatives. The engine's own are in float32
// (src/model/activation.hpp).
//
//   silu      x s              s = 1 / (1 + e^-x)                  slope  s (1 + x (1 - s))
//   gelu      x P              P = (1 + erf(x / sqrt(2))) / 2      slope  P + x e^(-x^2 / 2) / sqrt(2 pi)
//   gelu_new  x (1 + t) / 2    t = tanh(c (x + a x^3))             slope  (1 + t) / 2 + x (1 - t^2) c (1 + 3 a x^2) / 2
//   relu      max(x, 0)                                            slope  1 above 0, else 0 (PyTorch's choice at 0)
//
// with c = sqrt(2 / pi) and a = 0.044715. gelu_pytorch_tanh is gelu_new by another name.
#pragma once

#include <string>
#include <vector>

namespace minimind {

using RealFunction = double (*)(double);

struct TextbookActivation {
    std::string name;
    char mark = '*';  // in a chart
    RealFunction value = nullptr;
    RealFunction slope = nullptr;
};

/// The activations of a list such as "silu,relu". Throws Error for a name that is not known.
std::vector<TextbookActivation> textbook_activations(const std::string& names);

/// Where a function has its least or its largest value on [-10, 10]. `at` is NaN where there is no single such place:
/// relu is 0 at every x <= 0.
struct Extreme {
    double value = 0.0;
    double at = 0.0;
};
Extreme least_value(RealFunction function);
Extreme largest_value(RealFunction function);

}  // namespace minimind
