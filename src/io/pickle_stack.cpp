// The bytes that the pickle machine reads, and its stack.
#include <fmt/core.h>

#include "io/pickle_machine.hpp"

namespace minimind {

namespace {

/// More than any checkpoint needs: a tensor takes about ten values.
constexpr std::size_t most_values = 2'000'000;

}  // namespace

std::span<const std::byte> PickleMachine::take(std::uint64_t count) {
    if (count > bytes_.size() - position_) fail("the pickle ends in the middle");
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
}

std::uint64_t PickleMachine::take_unsigned(std::size_t byte_count) {
    std::uint64_t value = 0;
    const auto taken = take(byte_count);
    for (std::size_t i = 0; i < taken.size(); ++i) value |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
    return value;
}

std::int64_t PickleMachine::take_signed(std::size_t byte_count) {
    if (byte_count > 8) fail("an integer of more than 64 bits");
    std::uint64_t value = take_unsigned(byte_count);
    const std::size_t bits = 8 * byte_count;
    const bool negative = bits > 0 && (value >> (bits - 1) & 1) != 0;
    if (negative && bits < 64) value |= ~std::uint64_t{0} << bits;  // the sign goes on to the left
    return static_cast<std::int64_t>(value);
}

std::string PickleMachine::take_text(std::size_t length_bytes) {
    const auto taken = take(take_unsigned(length_bytes));
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::string PickleMachine::take_line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + position_, bytes_.size() - position_);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) fail("the pickle ends in the middle");
    position_ += end + 1;
    return std::string(rest.substr(0, end));
}

PickleValue& PickleMachine::push(Kind kind) {
    if (values_.size() >= most_values) fail(fmt::format("the pickle makes more than {} values", most_values));
    PickleValue& value = values_.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return value;
}

PickleValue* PickleMachine::pop() {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) fail("a value is missing");
    PickleValue* const value = stack_.back();
    stack_.pop_back();
    return value;
}

PickleValue* PickleMachine::pop(Kind kind, const char* expected) {
    PickleValue* const value = pop();
    if (value->kind != kind) fail(fmt::format("{} was expected", expected));
    return value;
}

PickleValue& PickleMachine::top(Kind kind, const char* expected) {
    PickleValue* const value = pop(kind, expected);
    stack_.push_back(value);
    return *value;
}

std::vector<const PickleValue*> PickleMachine::pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<const PickleValue*> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
}

std::vector<const PickleValue*> PickleMachine::pop_many(std::size_t count) {
    std::vector<const PickleValue*> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
}

}  // namespace minimind
