// `why` as text:
//
//   model.layers.0.self_attn.scores[0, 1, 3, 2] = -0.48321709
//   sum over d of q_rope[0, 3, 1, d] * k_repeat[0, 2, 1, d] / sqrt(D)
//
//       d   q_rope[0, 3, 1, d]   k_repeat[0, 2, 1, d]      product
//      11             1.234567              -0.876543   -1.0821508
//      ...
//      10 others                                         0.0512345
//   q . k                -1.9328684
//   sqrt(D)                       4   D = 16
//   scores[0, 1, 3, 2]  -0.48321711   q . k / sqrt(D)
//
//   stored              -0.48321709
//   difference              1.9e-08   float32 rounding (up to 4.6e-07)
#pragma once

#include <functional>
#include <string>

#include "console/language.hpp"
#include "stepper/why.hpp"

namespace minimind {

struct WhyStyle {
    Language language = Language::en;
    Paint paint = Paint(false);
    std::size_t width = 80;
    /// What stands at a place of an axis: of "t" the token at that position, of "v" the token with that id; else "".
    std::function<std::string(const std::string& axis, std::int64_t place)> label = {};
};

std::string why_text(const Why& answer, const std::string& name, const WhyStyle& style);

}  // namespace minimind
