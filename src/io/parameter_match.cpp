// Which tensor, or part of one, each parameter of a model is.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "io/checkpoint.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

/// "model.layers.0.mlp.experts.3.gate_proj.weight" is rows 0 to I-1 of entry 3 of the stacked tensor.
struct StackedPlace {
    std::string name;
    Shape shape;                 // that the whole tensor must have
    std::int64_t first_row = 0;  // within the expert's entry
};

StackedPlace stacked_place(const ParameterInfo& parameter, const ModelConfig& config) {
    const std::string experts = fmt::format("model.layers.{}.mlp.experts.", parameter.layer);
    const std::int64_t inner = config.moe_intermediate_size;
    if (parameter.name.find(".down_proj.") != std::string::npos) {
        return {experts + "down_proj", {config.num_experts, config.hidden_size, inner}, 0};
    }
    const bool up = parameter.name.find(".up_proj.") != std::string::npos;
    return {experts + "gate_up_proj", {config.num_experts, 2 * inner, config.hidden_size}, up ? inner : 0};
}

/// The rows of one expert as a tensor of its own: the same bytes.
LocatedTensor expert_part(const LocatedTensor& stacked, const ParameterInfo& parameter, std::int64_t first_row) {
    LocatedTensor part = stacked;
    const Shape& strides = stacked.tensor.strides;
    part.tensor.name = parameter.name;
    part.tensor.shape = parameter.shape;
    part.tensor.strides = {strides[1], strides[2]};
    const std::int64_t elements = parameter.expert * strides[0] + first_row * strides[1];
    part.tensor.offset += static_cast<std::uint64_t>(elements) * stored_type_size(stacked.tensor.type);
    return part;
}

/// Collects what does not fit, and says it as load_state_dict does.
class Mismatch {
  public:
    void missing(const std::string& name) {
        lacks_head_ = lacks_head_ || name == "lm_head.weight";
        lacks_q_norm_ = lacks_q_norm_ || name == "model.layers.0.self_attn.q_norm.weight";
        missing_.push_back(name);
    }
    void unexpected(const std::string& name) { unexpected_.push_back(name); }
    void shape(const LocatedTensor& found, const std::string& name, const Shape& expected) {
        ++shape_count_;
        if (shapes_.size() >= most_lines) return;
        shapes_.push_back(fmt::format("size mismatch for {}: the shape in the checkpoint is {}, in the model {} ({})",
                                      printable(name), list_text(found.tensor.shape), list_text(expected),
                                      found.file->name()));
    }

    void throw_if_any(const std::string& name, const ModelConfig& config) const {
        if (missing_.empty() && unexpected_.empty() && shape_count_ == 0) return;
        Error error("the checkpoint does not hold the weights of this model");
        error.at(name);
        for (const std::string& line : shapes_) error.note(line);
        if (shape_count_ > shapes_.size()) error.note(fmt::format("and {} more", shape_count_ - shapes_.size()));
        if (!missing_.empty()) error.note("missing keys: " + names_text(missing_));
        if (!unexpected_.empty()) error.note("unexpected keys: " + names_text(unexpected_));
        add_explanation(error, config);
        throw error;
    }

  private:
    static constexpr std::size_t most_lines = 8;

    static std::string names_text(const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t i = 0; i < std::min(names.size(), most_lines); ++i) {
            text += fmt::format("{}\"{}\"", i > 0 ? ", " : "", printable(names[i]));
        }
        if (names.size() > most_lines) text += fmt::format(" and {} more", names.size() - most_lines);
        return text;
    }

    void add_explanation(Error& error, const ModelConfig& config) const {
        if (lacks_head_ && !config.tie_word_embeddings) {
            error.note("the config has tie_word_embeddings false, so that the head needs weights of its own");
        }
        if (lacks_q_norm_) {
            error.note("this engine's attention normalises q and k; models without q_norm are not supported");
        }
        for (const std::string& name : unexpected_) {
            if (name.size() > 5 && name.substr(name.size() - 5) == ".bias") {
                error.note("layers with a bias are not supported");
                break;
            }
        }
        error.help("check that config and flags are those of this checkpoint");
    }

    bool lacks_head_ = false;
    bool lacks_q_norm_ = false;
    std::vector<std::string> missing_;
    std::vector<std::string> unexpected_;
    std::vector<std::string> shapes_;
    std::size_t shape_count_ = 0;
};

}  // namespace

std::unordered_map<std::string, LocatedTensor> match_parameters(const TensorIndex& index, const ModelConfig& config,
                                                                const std::string& name) {
    // Said before a list of a million missing names is made.
    if (config.num_hidden_layers > static_cast<std::int64_t>(index.all().size())) {
        throw Error(fmt::format("the config has {} layers, but the checkpoint only {} tensors",
                                config.num_hidden_layers, index.all().size()))
            .at(name);
    }
    std::unordered_map<std::string, LocatedTensor> matched;
    std::set<std::string> used;
    Mismatch mismatch;
    for (const ParameterInfo& parameter : parameter_list(config)) {
        const LocatedTensor* const own = index.find(parameter.name);
        if (own != nullptr) {
            used.insert(parameter.name);
            if (own->tensor.shape != parameter.shape) mismatch.shape(*own, parameter.name, parameter.shape);
            matched.emplace(parameter.name, *own);
            continue;
        }
        const StackedPlace place = parameter.expert >= 0 ? stacked_place(parameter, config) : StackedPlace{};
        const LocatedTensor* const stacked = parameter.expert >= 0 ? index.find(place.name) : nullptr;
        if (stacked == nullptr) {
            mismatch.missing(parameter.name);
        } else if (stacked->tensor.shape == place.shape) {
            used.insert(place.name);
            matched.emplace(parameter.name, expert_part(*stacked, parameter, place.first_row));
        } else if (used.insert(place.name).second) {
            mismatch.shape(*stacked, place.name, place.shape);
        }
    }
    const bool tied = config.tie_word_embeddings;
    for (const auto& [tensor, located] : index.all()) {
        const bool tied_head = tied && tensor == "lm_head.weight";
        if (used.count(tensor) == 0 && !tied_head) mismatch.unexpected(tensor);
    }
    mismatch.throw_if_any(name, config);
    return matched;
}

}  // namespace minimind
