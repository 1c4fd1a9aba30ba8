#include "console/model_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "io/hf_config.hpp"

namespace minimind {

namespace {

struct IntegerFlag {
    const char* field;
    std::int64_t ModelConfig::*member;
    const char* help;
    const char* derived;  // how it follows from the others if it is not given
    bool is_of_experts;
};

constexpr IntegerFlag integer_flags[] = {
    {"hidden_size", &ModelConfig::hidden_size, "width of the hidden states", nullptr, false},
    {"num_hidden_layers", &ModelConfig::num_hidden_layers, "number of blocks", nullptr, false},
    {"num_attention_heads", &ModelConfig::num_attention_heads, "query heads", nullptr, false},
    {"num_key_value_heads", &ModelConfig::num_key_value_heads, "key/value heads, which query heads share", nullptr,
     false},
    {"head_dim", &ModelConfig::head_dim, "width of a head", "hidden_size / num_attention_heads", false},
    {"intermediate_size", &ModelConfig::intermediate_size, "inner width of the feed-forward network",
     "hidden_size * pi, up to a multiple of 64", false},
    {"vocab_size", &ModelConfig::vocab_size, "number of tokens", nullptr, false},
    {"max_position_embeddings", &ModelConfig::max_position_embeddings, "longest sequence", nullptr, false},
    {"num_experts", &ModelConfig::num_experts, "experts of a block", nullptr, true},
    {"num_experts_per_tok", &ModelConfig::num_experts_per_tok, "experts that a token uses", nullptr, true},
    {"moe_intermediate_size", &ModelConfig::moe_intermediate_size, "inner width of an expert", "intermediate_size",
     true},
};

}  // namespace

void ModelFlags::add_sizes(Arguments& args) {
    args.group("model");
    const auto read_preset = [this](const std::string& name) {
        preset(name);  // throws for an unknown one
        preset_ = name;
    };
    args.value("--preset", read_preset, "where the sizes come from")
        .value_name(fmt::format("{}", fmt::join(preset_names(), "|")))
        .shown_default(default_preset);
    args.value(
            "--config", [this](const std::string& path) { config_ = path; }, "sizes from a Hugging Face config.json")
        .value_name("FILE");
    add_integers(args, false);
    const auto read_act = [this](const std::string& name) {
        overrides_.values.hidden_act = name;  // `completed` knows the names
        overrides_.fields.push_back("hidden_act");
    };
    args.value("--hidden_act", read_act, "activation of the feed-forward network")
        .value_name("NAME")
        .shown_default(defaults.hidden_act);
    add_number(args, "rope_theta", &ModelConfig::rope_theta, "base of the rotary frequencies");
    add_number(args, "rms_norm_eps", &ModelConfig::rms_norm_eps, "added to the mean square in RMSNorm");
    add_truth(args, "tie_word_embeddings", &ModelConfig::tie_word_embeddings, "the head is the embedding table");
    add_truth(args, "inference_rope_scaling", &ModelConfig::inference_rope_scaling, "YaRN, for long sequences");
    args.group("mixture of experts");
    add_truth(args, "use_moe", &ModelConfig::use_moe, "experts in place of one feed-forward network");
    add_integers(args, true);
    add_truth(args, "norm_topk_prob", &ModelConfig::norm_topk_prob, "the weights of the chosen experts add up to 1");
    add_number(args, "router_aux_loss_coef", &ModelConfig::router_aux_loss_coef, "weight of the load-balancing loss");
    args.group("");
}

void ModelFlags::add_integers(Arguments& args, bool of_experts) {
    for (const IntegerFlag& flag : integer_flags) {
        if (flag.is_of_experts != of_experts) continue;
        // 0 would mean "not given" for a derived size; the ranges of the others are checked by `completed`.
        const IntegerRange range = flag.derived != nullptr ? at_least(1) : IntegerRange{};
        const auto read = [this, flag, range](const std::string& text) {
            overrides_.values.*flag.member = read_integer(text, range);
            overrides_.fields.emplace_back(flag.field);
        };
        const std::int64_t value = defaults.*flag.member;
        args.value(std::string("--") + flag.field, read, flag.help)
            .value_name("N")
            .shown_default(flag.derived != nullptr && value == 0 ? flag.derived : fmt::format("{}", value));
    }
}

void ModelFlags::add_truth(Arguments& args, const std::string& field, bool ModelConfig::*member,
                           const std::string& help) {
    args.zero_one("--" + field, overrides_.values.*member, help)
        .shown_default(defaults.*member ? "1" : "0")
        .when_given([this, field] { overrides_.fields.push_back(field); });
}

void ModelFlags::add_number(Arguments& args, const std::string& field, double ModelConfig::*member,
                            const std::string& help) {
    args.real("--" + field, overrides_.values.*member, help)
        .shown_default(fmt::format("{:g}", defaults.*member))
        .when_given([this, field] { overrides_.fields.push_back(field); });
}

void ModelFlags::add_weights(Arguments& args) {
    args.group("weights");
    args.value(
            "--seed", [this](const std::string& text) { seed = read_seed(text); },
            "fresh weights are those of torch.manual_seed(N)")
        .value_name("N")
        .shown_default(fmt::format("{}", seed));
    args.choice("--norm_weights", norm_weights_, {"ones", "random"},
                "fresh norm weights: 1 as in PyTorch, or 1 + 0.1 normal, drawn after all others");
    args.integer("--threads", threads_, "threads of the products and loops", {1, 1024})
        .shown_default("all cores, one for a tiny model");
    args.group("");
}

void ModelFlags::add_checkpoint(Arguments& args) {
    args.group("weights");
    args.value(
            "--checkpoint", [this](const std::string& path) { checkpoint_ = path; },
            "weights and sizes from a Hugging Face directory, .safetensors, .pth or .bin")
        .value_name("PATH");
    args.group("");
}

void ModelFlags::check_sources() const {
    if (!preset_ || (!config_ && !checkpoint_)) return;
    throw Error(fmt::format("--preset cannot be combined with {}", config_ ? "--config" : "--checkpoint"))
        .at("--preset " + *preset_)
        .note("each of them says what the sizes of the model are")
        .help("leave out one of them; single sizes can be changed by their flags, such as --hidden_size");
}

ModelConfig ModelFlags::config() const {
    return completed(sizes());
}

ModelConfig ModelFlags::sizes() const {
    check_sources();
    if (config_) return read_hf_config(*config_, overrides_).config;
    ModelConfig result = preset_ ? preset(*preset_) : defaults;
    overrides_.apply_to(result);
    return result;
}

}  // namespace minimind
