// The flags that describe a model, with the course's names, and the config that they add up to.
//
//   ModelFlags model;                       // what the command has without flags: the preset `tiny`
//   model.defaults.hidden_size = 128;       // ... or its own
//   model.add_sizes(args);
//   if (!args.parse(words)) return 0;
//   const ModelConfig config = model.config();
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "console/arguments.hpp"
#include "io/config_fields.hpp"
#include "model/config.hpp"

namespace minimind {

class ModelFlags {
  public:
    ModelFlags() = default;
    ModelFlags(const ModelFlags&) = delete;  // the flags are bound to this object
    ModelFlags& operator=(const ModelFlags&) = delete;

    /// What the command starts from. Set these before the flags are added.
    ModelConfig defaults = preset("tiny");
    std::string default_preset = "tiny";
    std::uint64_t seed = 42;

    /// --preset, --config and every size: all that makes a config.
    void add_sizes(Arguments& args);
    /// --seed, --norm_weights and --threads.
    void add_weights(Arguments& args);
    /// --checkpoint.
    void add_checkpoint(Arguments& args);

    /// The config, completed: from --config, else --preset, else `defaults`, with the sizes that were given put in.
    /// For a model without a checkpoint. Throws Error where the sizes do not fit together.
    ModelConfig config() const;

    /// The same before it is completed: what follows from other sizes is still 0, unless it was given.
    ModelConfig sizes() const;

    /// The sizes that were given, for a config that comes from a checkpoint.
    const ConfigOverrides& overrides() const { return overrides_; }
    const std::optional<std::string>& preset_name() const { return preset_; }
    const std::optional<std::string>& config_path() const { return config_; }
    const std::optional<std::string>& checkpoint() const { return checkpoint_; }
    /// --norm_weights random: norm weights moved off 1, so that a missed factor shows.
    bool has_random_norms() const { return norm_weights_ == "random"; }
    /// --threads, 0 if it was not given.
    std::int64_t threads() const { return threads_; }

    /// --preset, --config and --checkpoint each say what the sizes are: at most one of them, but a checkpoint without a
    /// config of its own (a .pth) may have --config beside it. `config` checks this; a command with a checkpoint calls
    /// it itself.
    void check_sources() const;

  private:
    void add_integers(Arguments& args, bool of_experts);
    void add_truth(Arguments& args, const std::string& field, bool ModelConfig::*member, const std::string& help);
    void add_number(Arguments& args, const std::string& field, double ModelConfig::*member, const std::string& help);

    ConfigOverrides overrides_;
    std::optional<std::string> preset_;
    std::optional<std::string> config_;
    std::optional<std::string> checkpoint_;
    std::string norm_weights_ = "ones";
    std::int64_t threads_ = 0;
};

}  // namespace minimind
