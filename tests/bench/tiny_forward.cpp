// Computes forward passes of the tiny model, as many as the argument says: for counting instructions (hooks_off).
#include <cstdlib>

#include "core/threads.hpp"
#include "random/fresh_model.hpp"

int main(int argc, char** argv) {
    using namespace minimind;
    use_threads(1);
    Generator generator(42);
    const CausalLm model = fresh_model(completed(preset("tiny")), generator);
    const TokenIds ids{{2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    const int passes = argc > 1 ? std::atoi(argv[1]) : 1;
    float sum = 0.0F;
    for (int i = 0; i < passes; ++i) sum += model.forward(ids).logits[0];
    return sum == 12345.0F ? 1 : 0;  // the logits are used, so that they are computed
}
