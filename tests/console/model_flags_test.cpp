#include "console/model_flags.hpp"

#include <doctest/doctest.h>

#include "console/memory.hpp"
#include "thrown.hpp"

using namespace minimind;

namespace {

using Words = std::vector<std::string>;

struct ModelCommand {
    ModelFlags model;
    Arguments args{"demo", "A command to test with."};

    ModelCommand() {
        model.add_sizes(args);
        model.add_weights(args);
        model.add_checkpoint(args);
    }
    ModelConfig config(const Words& words) {
        const bool is_to_run = args.parse(words);  // outside CHECK, which would keep the exception
        CHECK(is_to_run);
        return model.config();
    }
};

std::string model_error(const Words& words) {
    ModelCommand command;
    return thrown([&] { static_cast<void>(command.config(words)); });
}

const std::string qwen3 = std::string(MINIMIND_GOLDEN_DIR) + "/checkpoints/qwen3";

}  // namespace

TEST_CASE("the default is tiny") {
    ModelCommand command;
    const ModelConfig config = command.config({});
    CHECK(config.hidden_size == 64);
    CHECK(config.head_dim == 16);
    CHECK(config.intermediate_size == 256);  // ceil(64 pi / 64) * 64 = 4 * 64
    CHECK(command.model.seed == 42);
    CHECK_FALSE(command.model.has_random_norms());
}

TEST_CASE("every size flag reaches its field") {
    ModelCommand command;
    const ModelConfig config = command.config({"--hidden_size",
                                               "80",
                                               "--num_hidden_layers",
                                               "3",
                                               "--num_attention_heads",
                                               "6",
                                               "--num_key_value_heads",
                                               "2",
                                               "--head_dim",
                                               "10",
                                               "--intermediate_size",
                                               "70",
                                               "--vocab_size",
                                               "50",
                                               "--max_position_embeddings",
                                               "33",
                                               "--rope_theta",
                                               "5e5",
                                               "--rms_norm_eps",
                                               "1e-5",
                                               "--hidden_act",
                                               "relu",
                                               "--tie_word_embeddings",
                                               "0",
                                               "--use_moe",
                                               "1",
                                               "--num_experts",
                                               "5",
                                               "--num_experts_per_tok",
                                               "2",
                                               "--moe_intermediate_size",
                                               "31",
                                               "--norm_topk_prob",
                                               "0",
                                               "--router_aux_loss_coef",
                                               "0.25",
                                               "--inference_rope_scaling",
                                               "1",
                                               "--seed",
                                               "-1",
                                               "--norm_weights",
                                               "random",
                                               "--checkpoint",
                                               "x.pth"});
    CHECK(config.hidden_size == 80);
    CHECK(config.num_hidden_layers == 3);
    CHECK(config.num_attention_heads == 6);
    CHECK(config.num_key_value_heads == 2);
    CHECK(config.head_dim == 10);
    CHECK(config.intermediate_size == 70);
    CHECK(config.vocab_size == 50);
    CHECK(config.max_position_embeddings == 33);
    CHECK(config.rope_theta == 5e5);
    CHECK(config.rms_norm_eps == 1e-5);
    CHECK(config.hidden_act == "relu");
    CHECK_FALSE(config.tie_word_embeddings);
    CHECK(config.use_moe);
    CHECK(config.num_experts == 5);
    CHECK(config.num_experts_per_tok == 2);
    CHECK(config.moe_intermediate_size == 31);
    CHECK_FALSE(config.norm_topk_prob);
    CHECK(config.router_aux_loss_coef == 0.25);
    CHECK(config.inference_rope_scaling);
    CHECK(command.model.seed == 18446744073709551615u);
    CHECK(command.model.has_random_norms());
    CHECK(command.model.checkpoint() == "x.pth");
    CHECK(command.model.overrides().has("head_dim"));
}

TEST_CASE("presets, with sizes put in") {
    ModelCommand command;
    const ModelConfig config = command.config({"--hidden_size", "512", "--preset", "minimind3"});
    CHECK(config.hidden_size == 512);
    CHECK(config.num_hidden_layers == 8);
    CHECK(config.head_dim == 64);  // derived anew
    CHECK(contains(model_error({"--preset", "minimind4"}), "--> --preset minimind4\n"));
}

TEST_CASE("a command's own defaults") {
    ModelFlags model;
    model.defaults.hidden_size = 128;
    Arguments args("demo", "x");
    model.add_sizes(args);
    CHECK(contains(args.help_text(80), "width of the hidden states (default: 128)"));
    CHECK(args.parse({}));
    CHECK(model.config().hidden_size == 128);
    CHECK(model.config().num_hidden_layers == 2);
}

TEST_CASE("a config file, with sizes put in") {
    ModelCommand plain;
    const ModelConfig config = plain.config({"--config", qwen3 + "/config.json"});
    ModelCommand changed;
    const ModelConfig other = changed.config({"--config", qwen3 + "/config.json", "--num_hidden_layers", "7"});
    CHECK(config.num_hidden_layers != 7);
    CHECK(other.num_hidden_layers == 7);
    CHECK(other.hidden_size == config.hidden_size);
    CHECK(model_error({"--config", "/nowhere/config.json"}) != "");
    CHECK(model_error({"--config", qwen3, "--preset", "tiny"}) ==
          "error: --preset cannot be combined with --config\n"
          "  --> --preset tiny\n"
          "  note: each of them says what the sizes of the model are\n"
          "  help: leave out one of them; single sizes can be changed by their flags, such as --hidden_size\n");
    CHECK(contains(model_error({"--checkpoint", "x", "--preset", "tiny"}), "cannot be combined with --checkpoint"));
}

TEST_CASE("sizes that cannot be, each with its flag") {
    for (const std::string flag :
         {"--hidden_size", "--num_hidden_layers", "--num_attention_heads", "--num_key_value_heads", "--head_dim",
          "--intermediate_size", "--vocab_size", "--max_position_embeddings"}) {
        for (const std::string value : {"0", "-1", "99999999999", "9223372036854775807", "", "1.5", "x"}) {
            CAPTURE(flag);
            CAPTURE(value);
            CHECK(contains(model_error({flag, value}), "  --> " + flag + " " + (value.empty() ? "\"\"" : value)));
        }
    }
    for (const std::string value : {"nan", "inf", "1e400", "", "0x1"}) {
        CAPTURE(value);
        CHECK(model_error({"--rope_theta", value}) != "");
        CHECK(model_error({"--router_aux_loss_coef", value}) != "");
    }
    CHECK(contains(model_error({"--num_key_value_heads", "3"}), "cannot share 3 key/value heads"));
    CHECK(contains(model_error({"--hidden_act", "sillu"}), "did you mean 'silu'?"));
}

TEST_CASE("memory: by hand for a model of one block") {
    ModelCommand command;
    const ModelConfig config =
        command.config({"--hidden_size", "8", "--num_hidden_layers", "1", "--num_attention_heads", "2",
                        "--num_key_value_heads", "1", "--intermediate_size", "16", "--vocab_size", "10"});
    // embedding 80; q 64, k 32, v 32, o 64, norms 4 + 4; gate, up, down 3 * 128; norms 8 + 8; final norm 8
    const double parameters = 4.0 * (80 + 64 + 32 + 32 + 64 + 8 + 384 + 16 + 8);
    CHECK(memory_need(config, {}).parameters == parameters);  // whole numbers: exact
    CHECK(memory_need(config, {}).activations == 0.0);
    Workload forward;
    forward.batch = {2, 3};
    const double one = memory_need(config, forward).activations;
    CHECK(one > 4.0 * 6 * 10);  // at least the logits
    forward.keeps_stages = true;
    CHECK(memory_need(config, forward).activations > one);
    CHECK_NOTHROW(check_memory(config, forward, 1e6));
    CHECK(contains(thrown([&] { check_memory(config, {}, 1000.0); }),
                   "error: about 2.7 KiB of memory are needed, 1000 B are available\n  --> --hidden_size 8"));
}

TEST_CASE("memory: what is too large is refused, and nothing overflows") {
    ModelCommand command;
    const ModelConfig config = command.config({"--hidden_size", "100000000"});
    CHECK(contains(thrown([&] { check_memory(config, {}); }), "of memory are needed"));
    Workload huge;
    huge.batch = {std::int64_t{1} << 31, std::int64_t{1} << 31};
    huge.keeps_stages = true;
    CHECK(memory_need(config, huge).total() > 1e30);
    CHECK(contains(thrown([&] { check_memory(config, huge); }), "--> --batch_size 2147483648 --seq_len 2147483648\n"));
}

TEST_CASE("memory: what the machine has") {
    CHECK(available_in_meminfo("MemTotal: 8 kB\nMemAvailable:    1000 kB\n") == 1024000.0);
    CHECK(available_in_meminfo("MemTotal: 8 kB\n") == 0.0);
    CHECK(available_memory() > 1e6);
    CHECK(bytes_text(512) == "512 B");
    CHECK(bytes_text(1536) == "1.5 KiB");
    CHECK(bytes_text(3.0 * 1024 * 1024 * 1024) == "3.0 GiB");
    CHECK(bytes_text(1e30) != "");
}
