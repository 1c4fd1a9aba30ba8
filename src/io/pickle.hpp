// A reader for the pickles that torch.save writes, which can build tensors and plain data and nothing else.
//
// A pickle is a program for a small stack machine: its opcodes push values, collect those above a mark into a tuple or a
// dict, and call functions by name. Python's own reader calls whatever function a file names, so that a file can run any
// program. This one has no functions to call: it knows the five names below that torch.save needs for weights, says what
// each would have built, and refuses every other by name.
//
//   collections.OrderedDict()                  an empty dict
//   torch.Size(sizes)                          a tuple of integers
//   torch._utils._rebuild_tensor_v2(storage, offset, size, stride, ...)    a tensor that looks at a storage
//   torch._utils._rebuild_parameter(tensor, ...)                           that tensor
//   torch.FloatStorage and its like            the element type of a storage
//
// Opcodes: https://docs.python.org/3/library/pickletools.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/stored_type.hpp"

namespace minimind {

struct PickleValue {
    enum class Kind : std::uint8_t { none, truth, integer, real, text, tuple, list, dict, name, storage, tensor };

    Kind kind = Kind::none;
    StoredType type = StoredType::f32;  // storage: what its elements are
    std::int64_t integer = 0;           // integer; truth: 0 or 1; storage: the number of its elements
    double real = 0.0;
    std::string text;  // text; name: "torch.FloatStorage"; storage: its key, "3" for data/3
    // tuple, list: the items. dict: key, value, key, value. tensor: storage, offset, size, stride, which are a storage,
    // an integer and two tuples of equally many integers, none of them negative.
    std::vector<const PickleValue*> items;
};

/// A dict's value for a text key, nullptr if there is none. The last of equal keys counts.
const PickleValue* dict_value(const PickleValue& dict, std::string_view key);

/// All values of a pickle. They refer to each other, and a list may hold itself: follow references with care.
class Pickle {
  public:
    /// Interprets the bytes; `where` is for messages. Throws Error for what torch.save would not write, in time
    /// proportional to the number of bytes.
    Pickle(std::span<const std::byte> bytes, const std::string& where);
    Pickle(const Pickle&) = delete;
    Pickle& operator=(const Pickle&) = delete;

    const PickleValue& root() const { return *root_; }

  private:
    std::deque<PickleValue> values_;  // a deque, since it never moves its elements
    const PickleValue* root_ = nullptr;
};

}  // namespace minimind
