// The activation functions that hidden_act can name, elementwise:
//
//   silu                        x * sigmoid(x)                                     MiniMind, Qwen3, Llama
//   gelu                        x/2 * (1 + erf(x / sqrt(2)))
//   gelu_new, gelu_pytorch_tanh x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))  the approximation of GPT-2
//   relu                        max(x, 0)                                          the Transformer of 2017
#pragma once

#include <armadillo>
#include <string>
#include <vector>

namespace minimind {

/// The names, in the order above.
const std::vector<std::string>& activation_names();

/// act(x) for the activation of that name. Throws Error for a name that is not known.
arma::fmat activate(const std::string& hidden_act, arma::fmat x);

}  // namespace minimind
