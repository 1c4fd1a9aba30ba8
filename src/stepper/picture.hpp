// What is shown after each move:
//
//   layer 0
//        9/30 self_attn.q_norm                       [2, 6, 4, 16]
//       10/30 self_attn.k_norm                       [2, 6, 2, 16]
//   --> 11/30 self_attn.q_rope                       [2, 6, 4, 16]
//       12/30 self_attn.k_rope                       [2, 6, 2, 16]
//       13/30 self_attn.k_repeat                     [2, 6, 4, 16]
//   formula  x * cos + rotate_half(x) * sin, rotate_half(x) = (-x[D/2:], x[:D/2])
//            (D = 16)
//   in       q_norm [B=2, S=6, h=4, D=16], cos [S=6, D=16], sin [S=6, D=16]
//   out      [B=2, S=6, h=4, D=16]
//   axes     B batch rows, S tokens, h query heads, D head_dim
//   stats    mean 0.07714  std 0.999  min -2.284  max 2.416  rms 1
//   values   [0, 0, 0, :] = 0.5693 0.7814 1.437 1.448 0.7671 -0.5974 0.1838 ...
#pragma once

#include <string>

#include "stepper/command.hpp"

namespace minimind {

/// The whole picture of a stage, with its values, which must be kept.
std::string picture(const SessionState& session, const TensorView& values);

/// Lines of the stage list from `first` to `last` with headings for the layers, the current stage marked, breakpoints
/// with *. In predict mode the shapes of stages ahead are not told.
std::string stage_lines(const SessionState& session, std::size_t first, std::size_t last);

/// "mean 0.012  std 0.99  min -2.9  max 3.1  rms 0.99", and how many are NaN or infinite.
std::string statistics_line(const Statistics& statistics);

/// A number with four significant digits, for looking at.
std::string number_text(double value);

/// "label   text" with the text wrapped to the width under itself.
std::string labelled(const std::string& label, const std::string& text, std::size_t width);

}  // namespace minimind
