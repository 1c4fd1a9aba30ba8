#include "io/pickle_machine.hpp"

#include <fmt/core.h>

#include <bit>

#include "core/error.hpp"

namespace minimind {

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

}  // namespace minimind
