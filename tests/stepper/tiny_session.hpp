// A session of the stepper on a fresh small model, and what it prints.
#pragma once

#include <sstream>
#include <string>

#include "random/fresh_model.hpp"
#include "stepper/session.hpp"
#include "support/text.hpp"

namespace minimind {

/// No two sizes agree: B 2, S 5, H 24, 3 layers, 4 heads on 2 KV heads of 6, V 50.
inline ModelConfig small_config(bool use_moe = false) {
    ModelConfig config;
    config.hidden_size = 24;
    config.num_hidden_layers = 3;
    config.vocab_size = 50;
    config.num_attention_heads = 4;
    config.num_key_value_heads = 2;
    config.max_position_embeddings = 64;
    config.use_moe = use_moe;
    config.num_experts_per_tok = 2;
    return completed(config);
}

struct PassOptions {
    bool use_moe = false;
    std::int64_t past = 0;
    bool has_labels = false;
    bool has_mask = false;
};

inline TokenInput small_input(const PassOptions& options) {
    TokenInput input;
    input.ids.batch = {2, 5};
    input.ids.ids = {7, 3, 7, 1, 49, 0, 11, 12, 13, 2};
    if (options.has_labels) input.labels = input.ids;
    if (options.has_labels) input.labels->ids[2] = -100;
    if (options.has_mask) {  // the first two keys of the second row are padding
        input.attention_mask.ones(5, 2);
        input.attention_mask(0, 1) = 0.0F;
        input.attention_mask(1, 1) = 0.0F;
    }
    input.past = options.past;
    return input;
}

inline CausalLm small_model(bool use_moe = false) {
    Generator generator(42);
    return fresh_model(small_config(use_moe), generator, true);  // norm weights off 1: they hide nothing
}

class TinySession {
  public:
    explicit TinySession(const PassOptions& options = {}, int layer = all_layers, Language language = Language::en)
        : model(small_model(options.use_moe)), session(state(options, layer, language), out) {}

    /// What a line prints.
    std::string run(const std::string& line) {
        out.str("");
        worked = session.run_line(line);
        return out.str();
    }
    const SessionState& state() const { return session.state(); }
    std::string here() const { return session.state().stage().name(); }

    CausalLm model;
    std::ostringstream out;
    bool worked = true;
    Session session;

  private:
    SessionState state(const PassOptions& options, int layer, Language language) const {
        std::shared_ptr<const Recording> recording = record_pass(model, small_input(options), {}, layer);
        SessionState state{model, recording, recording};
        state.language = language;
        state.passes = 1;
        return state;
    }
};

/// A line that cannot be carried out, and what is said then.
struct WrongLine {
    std::string line;
    std::string answer;
};

}  // namespace minimind
