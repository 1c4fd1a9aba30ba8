#include "io/pickle_machine.hpp"

#include <fmt/core.h>

#include <bit>

#include "core/error.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

/// More than any checkpoint needs: a tensor takes about ten values.
constexpr std::size_t most_values = 2'000'000;

}  // namespace

void PickleMachine::fail(const std::string& what) const {
    throw Error(what).at(fmt::format("{}, byte {}", where_, opcode_position_));
}

const PickleValue* PickleMachine::run() {
    constexpr unsigned char stop = '.';
    for (;;) {
        opcode_position_ = position_;
        const auto opcode = static_cast<unsigned char>(take_unsigned(1));
        if (opcode == stop) break;
        if (run_constant(opcode) || run_container(opcode) || run_memo(opcode) || run_object(opcode)) continue;
        fail(fmt::format("the pickle opcode 0x{:02x} is none that torch.save needs for weights", opcode));
    }
    if (stack_.size() != 1 || !marks_.empty()) fail("the pickle does not end with one value");
    return stack_.front();
}

bool PickleMachine::run_constant(unsigned char opcode) {
    switch (opcode) {
        case 0x80:  // PROTO version
            if (take_unsigned(1) > 5) fail("this version of pickle is unknown");
            return true;
        case 0x95:
            take_unsigned(8);
            return true;  // FRAME length, which only helps readers
        case 'N':
            push(Kind::none);
            return true;  // NONE
        case 0x88:
            push(Kind::truth).integer = 1;
            return true;  // NEWTRUE
        case 0x89:
            push(Kind::truth).integer = 0;
            return true;  // NEWFALSE
        case 'K':
            push_integer(take_signed(1) & 0xff);
            return true;  // BININT1
        case 'M':
            push_integer(take_signed(2) & 0xffff);
            return true;  // BININT2
        case 'J':
            push_integer(take_signed(4));
            return true;  // BININT
        case 0x8a:
            push_integer(take_signed(take_unsigned(1)));
            return true;  // LONG1
        case 'X':
            push(Kind::text).text = take_text(4);
            return true;  // BINUNICODE
        case 0x8c:
            push(Kind::text).text = take_text(1);
            return true;  // SHORT_BINUNICODE
        case 0x8d:
            push(Kind::text).text = take_text(8);
            return true;  // BINUNICODE8
        case 'G': {       // BINFLOAT: the high byte first
            std::uint64_t bits = 0;
            for (const std::byte byte : take(8)) bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
            push(Kind::real).real = std::bit_cast<double>(bits);
            return true;
        }
        default:
            return false;
    }
}

bool PickleMachine::run_container(unsigned char opcode) {
    switch (opcode) {
        case '(':
            marks_.push_back(stack_.size());
            return true;  // MARK
        case '}':
            push(Kind::dict);
            return true;  // EMPTY_DICT
        case ']':
            push(Kind::list);
            return true;  // EMPTY_LIST
        case ')':
            push(Kind::tuple);
            return true;  // EMPTY_TUPLE
        case 't':
            push_tuple(pop_to_mark());
            return true;  // TUPLE
        case 0x85:
            push_tuple(pop_many(1));
            return true;  // TUPLE1
        case 0x86:
            push_tuple(pop_many(2));
            return true;  // TUPLE2
        case 0x87:
            push_tuple(pop_many(3));
            return true;  // TUPLE3
        case 'a':         // APPEND
        case 'e': {       // APPENDS
            const auto items = opcode == 'a' ? pop_many(1) : pop_to_mark();
            PickleValue& list = top(Kind::list, "a list");
            list.items.insert(list.items.end(), items.begin(), items.end());
            return true;
        }
        case 's':    // SETITEM
        case 'u': {  // SETITEMS
            const auto items = opcode == 's' ? pop_many(2) : pop_to_mark();
            if (items.size() % 2 != 0) fail("a key of a dict has no value");
            PickleValue& dict = top(Kind::dict, "a dict");
            dict.items.insert(dict.items.end(), items.begin(), items.end());
            return true;
        }
        default:
            return false;
    }
}

bool PickleMachine::run_memo(unsigned char opcode) {
    const auto put = [this](std::uint64_t index) {
        if (stack_.empty()) fail("there is no value to remember");
        memo_[index] = stack_.back();
    };
    const auto get = [this](std::uint64_t index) {
        const auto found = memo_.find(index);
        if (found == memo_.end()) fail(fmt::format("value {} is used before it was made", index));
        stack_.push_back(found->second);
    };
    switch (opcode) {
        case 'q':
            put(take_unsigned(1));
            return true;  // BINPUT
        case 'r':
            put(take_unsigned(4));
            return true;  // LONG_BINPUT
        case 0x94:
            put(memo_.size());
            return true;  // MEMOIZE
        case 'h':
            get(take_unsigned(1));
            return true;  // BINGET
        case 'j':
            get(take_unsigned(4));
            return true;  // LONG_BINGET
        default:
            return false;
    }
}

bool PickleMachine::run_object(unsigned char opcode) {
    switch (opcode) {
        case 'c': {  // GLOBAL module name
            const std::string module = take_line();
            push_name(module, take_line());
            return true;
        }
        case 0x93: {  // STACK_GLOBAL
            const PickleValue* const name = pop(Kind::text, "a name");
            const PickleValue* const module = pop(Kind::text, "a name");
            push_name(module->text, name->text);
            return true;
        }
        case 'Q':
            push_storage();
            return true;  // BINPERSID
        case 'R':
            call();
            return true;  // REDUCE
        case 'b':
            build();
            return true;  // BUILD
        default:
            return false;
    }
}

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
