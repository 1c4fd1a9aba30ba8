#include "model/activation.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "model/vector_math.hpp"

namespace minimind {

namespace {

using RowFunction = void (*)(float*, std::int64_t);

struct Activation {
    std::string name;
    RowFunction apply;
};

const std::vector<Activation>& activations() {
    static const std::vector<Activation> known = {{"silu", silu_row},
                                                  {"gelu", gelu_row},
                                                  {"gelu_new", gelu_tanh_row},
                                                  {"gelu_pytorch_tanh", gelu_tanh_row},
                                                  {"relu", relu_row}};
    return known;
}

RowFunction find_activation(const std::string& name) {
    for (const Activation& activation : activations()) {
        if (activation.name == name) return activation.apply;
    }
    throw Error("there is no activation called '" + name + "'");
}

}  // namespace

const std::vector<std::string>& activation_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const Activation& activation : activations()) result.push_back(activation.name);
        return result;
    }();
    return names;
}

arma::fmat activate(const std::string& hidden_act, arma::fmat x) {
    const RowFunction apply = find_activation(hidden_act);
    const auto count = static_cast<std::int64_t>(x.n_elem);
    parallel_for(static_cast<std::int64_t>(x.n_cols), 4 * count, [&](std::int64_t column) {
        apply(x.colptr(static_cast<arma::uword>(column)), static_cast<std::int64_t>(x.n_rows));
    });
    return x;
}

}  // namespace minimind
