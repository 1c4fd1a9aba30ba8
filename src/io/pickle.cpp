#include "io/pickle.hpp"

#include "io/pickle_machine.hpp"

namespace minimind {

const PickleValue* dict_value(const PickleValue& dict, std::string_view key) {
    if (dict.kind != PickleValue::Kind::dict) return nullptr;
    for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
        const PickleValue& candidate = *dict.items[i - 2];
        if (candidate.kind == PickleValue::Kind::text && candidate.text == key) return dict.items[i - 1];
    }
    return nullptr;
}

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& where) {
    root_ = PickleMachine(bytes, where, values_).run();
}

}  // namespace minimind
