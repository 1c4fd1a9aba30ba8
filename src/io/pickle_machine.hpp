// The stack machine that runs a pickle's opcodes. See pickle.hpp for what it can build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/pickle.hpp"

namespace minimind {

class PickleMachine {
  public:
    /// New values are put into `values`, which must outlive what run() returns.
    PickleMachine(std::span<const std::byte> bytes, const std::string& where, std::deque<PickleValue>& values)
        : bytes_(bytes), where_(where), values_(values) {}

    /// Runs to the STOP opcode; the result is the one value that is then on the stack.
    const PickleValue* run();

  private:
    using Kind = PickleValue::Kind;

    // Each runs an opcode of its group; false if it belongs to another.
    bool run_constant(unsigned char opcode);
    bool run_container(unsigned char opcode);
    bool run_memo(unsigned char opcode);
    bool run_object(unsigned char opcode);

    // What the opcodes do (pickle_objects.cpp).
    void push_name(const std::string& module, const std::string& name);
    void push_storage();
    void call();
    void call_rebuild_tensor(const PickleValue& arguments);
    void build();

    // Bytes of the program.
    std::span<const std::byte> take(std::uint64_t count);
    std::uint64_t take_unsigned(std::size_t byte_count);
    std::int64_t take_signed(std::size_t byte_count);
    std::string take_text(std::size_t length_bytes);
    std::string take_line();

    // The stack.
    PickleValue& push(Kind kind);
    void push_integer(std::int64_t value) { push(Kind::integer).integer = value; }
    PickleValue* pop();
    PickleValue* pop(Kind kind, const char* expected);
    PickleValue& top(Kind kind, const char* expected);
    std::vector<const PickleValue*> pop_to_mark();
    std::vector<const PickleValue*> pop_many(std::size_t count);
    void push_tuple(std::vector<const PickleValue*> items) { push(Kind::tuple).items = std::move(items); }

    [[noreturn]] void fail(const std::string& what) const;

    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
    std::size_t opcode_position_ = 0;
    const std::string& where_;
    std::deque<PickleValue>& values_;
    std::vector<PickleValue*> stack_;
    std::vector<std::size_t> marks_;  // heights of the stack
    std::unordered_map<std::uint64_t, PickleValue*> memo_;
};

}  // namespace minimind
