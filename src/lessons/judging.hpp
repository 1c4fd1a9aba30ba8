// How each kind of answer is judged; used by `judge`.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "lessons/answers.hpp"

namespace minimind {

Judgement judge_shape(const Item& item, std::string_view written, const Sizes& sizes);
Judgement judge_count(const Item& item, std::string_view written);
Judgement judge_real(const Item& item, std::string_view written);
Judgement judge_word(const Item& item, std::string_view written);

/// Could no answer of a learner be told to mean one and not the other?
bool are_same(const Answer& a, const Answer& b);

/// Wrong, in the words of the first listed mistake that `is_it` accepts and that is not the right answer itself.
std::optional<Judgement> judged_as_mistake(const Item& item, const std::function<bool(const Answer&)>& is_it);

Judgement judged_unreadable(const Item& item);

}  // namespace minimind
