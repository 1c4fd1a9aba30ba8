// The few names that a pickle may use, and what each would have built.
#include <fmt/core.h>

#include <array>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "io/json_text.hpp"
#include "io/pickle_machine.hpp"

namespace minimind {

namespace {

constexpr std::string_view ordered_dict = "collections.OrderedDict";
constexpr std::string_view size_class = "torch.Size";
constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuild_parameter = "torch._utils._rebuild_parameter";

constexpr std::array<std::pair<std::string_view, StoredType>, 10> storage_types{{
    {"torch.DoubleStorage", StoredType::f64},
    {"torch.FloatStorage", StoredType::f32},
    {"torch.HalfStorage", StoredType::f16},
    {"torch.BFloat16Storage", StoredType::bf16},
    {"torch.LongStorage", StoredType::i64},
    {"torch.IntStorage", StoredType::i32},
    {"torch.ShortStorage", StoredType::i16},
    {"torch.CharStorage", StoredType::i8},
    {"torch.ByteStorage", StoredType::u8},
    {"torch.BoolStorage", StoredType::boolean},
}};

std::optional<StoredType> storage_type(std::string_view name) {
    for (const auto& [known, type] : storage_types) {
        if (known == name) return type;
    }
    return std::nullopt;
}

bool is_known(std::string_view name) {
    return name == ordered_dict || name == size_class || name == rebuild_tensor || name == rebuild_parameter ||
           storage_type(name);
}

/// A tuple of integers, none below 0: the sizes or the strides of a tensor.
bool is_shape(const PickleValue& value) {
    if (value.kind != PickleValue::Kind::tuple) return false;
    for (const PickleValue* const item : value.items) {
        if (item->kind != PickleValue::Kind::integer || item->integer < 0) return false;
    }
    return true;
}

}  // namespace

void PickleMachine::push_name(const std::string& module, const std::string& name) {
    const std::string full = module + "." + name;
    if (is_known(full)) {
        push(Kind::name).text = full;
        return;
    }
    throw Error(fmt::format("the file asks for {}, which weights do not need", printable(full)))
        .at(fmt::format("{}, byte {}", where_, opcode_position_))
        .note("a pickle can name any function of Python; nothing of this one was run")
        .help(
            "if you trust the file, load it in PyTorch and save the weights alone: "
            "torch.save(model.state_dict(), path)");
}

/// torch.save keeps the elements of a tensor outside the pickle: ("storage", type, key, device, number of elements).
void PickleMachine::push_storage() {
    const PickleValue* const id = pop(Kind::tuple, "the description of a storage");
    const auto& parts = id->items;
    const bool fits = parts.size() >= 5 && parts[0]->text == "storage" && parts[1]->kind == Kind::name &&
                      parts[2]->kind == Kind::text && parts[4]->kind == Kind::integer && parts[4]->integer >= 0;
    const std::optional<StoredType> type = fits ? storage_type(parts[1]->text) : std::nullopt;
    if (!type) fail("the description of a storage cannot be understood");
    PickleValue& storage = push(Kind::storage);
    storage.type = *type;
    storage.text = parts[2]->text;
    storage.integer = parts[4]->integer;
}

void PickleMachine::call() {
    const PickleValue* const arguments = pop(Kind::tuple, "a tuple of arguments");
    const PickleValue* const function = pop(Kind::name, "a function");
    const auto& items = arguments->items;
    if (function->text == ordered_dict && items.empty()) {
        push(Kind::dict);
    } else if (function->text == size_class && items.size() == 1 && is_shape(*items[0])) {
        push(Kind::tuple).items = items[0]->items;
    } else if (function->text == rebuild_parameter && !items.empty() && items[0]->kind == Kind::tensor) {
        push(Kind::tensor).items = items[0]->items;
    } else if (function->text == rebuild_tensor) {
        call_rebuild_tensor(*arguments);
    } else {
        fail(fmt::format("{} is called with arguments that torch.save does not write", function->text));
    }
}

/// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, backward_hooks, ...)
void PickleMachine::call_rebuild_tensor(const PickleValue& arguments) {
    const auto& items = arguments.items;
    constexpr std::size_t most_axes = 8;
    const bool fits = items.size() >= 4 && items[0]->kind == Kind::storage && items[1]->kind == Kind::integer &&
                      items[1]->integer >= 0 && is_shape(*items[2]) && is_shape(*items[3]) &&
                      items[2]->items.size() == items[3]->items.size() && items[2]->items.size() <= most_axes;
    if (!fits) fail("the description of a tensor cannot be understood");
    push(Kind::tensor).items.assign(items.begin(), items.begin() + 4);
}

/// Gives attributes to an object. A state_dict has one, `_metadata`, which holds versions of modules: not needed.
void PickleMachine::build() {
    pop();
    top(Kind::dict, "a dict that gets attributes");
}

}  // namespace minimind
