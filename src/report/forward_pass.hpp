// One forward pass over a TokenInput, as `trace` and `step` watch it: the first `past` tokens of each row go into a
// cache beforehand, the rest is computed on it under the eyes of a hook.
#pragma once

#include "console/input_flags.hpp"
#include "model/causal_lm.hpp"
#include "trace/hook.hpp"

namespace minimind {

/// Who watches which part of the pass. Both may be null.
struct PassHooks {
    Hook* hook = nullptr;       // of the tokens that are not cached
    Hook* past_hook = nullptr;  // of those that go into the cache
};

struct PassResult {
    CausalLmOutput output;
    TokenIds input_ids;  // the tokens of the pass, without the cached ones
};

/// `input` as InputFlags::tokens gives it. `training` adds the auxiliary loss of an MoE model.
PassResult forward_pass(const CausalLm& model, const TokenInput& input, const PassHooks& hooks, bool training = false);

}  // namespace minimind
