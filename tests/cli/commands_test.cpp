// The program as a user meets it: output, exit codes, errors.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/safetensors.hpp"
#include "support/json_of.hpp"
#include "support/run_program.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("without a command the program says what is here") {
    const ProgramResult result = run_program({});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "minimind trace"));
    CHECK(contains(result.out, "trace_block_shapes"));
    CHECK(contains(run_program({"--version"}).out, "minimind 0."));
    CHECK(contains(run_program({"--help"}).out, "--version"));
    CHECK(contains(run_program({"help", "trace"}).out, "--ablate"));
    CHECK(contains(run_program({"--lang", "zh"}).out, "教科书"));
}

TEST_CASE("every command and lab has a help with examples") {
    for (const char* name : {"params", "trace", "hooks", "labs", "trace_block_shapes", "trace-block-shapes"}) {
        const ProgramResult result = run_program({name, "--help"});
        CAPTURE(name);
        CHECK(result.exit_code == 0);
        CHECK(contains(result.out, "--help"));
        CHECK(result.err.empty());
    }
}

TEST_CASE("a wrong command or flag is an error with exit code 2 that names the right one") {
    ProgramResult result = run_program({"trase"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "did you mean trace?"));
    CHECK(result.out.empty());
    result = run_program({"trace_block_shapes", "--dim", "96"});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "--hidden_size"));
    const std::vector<std::vector<std::string>> wrong = {
        {"trace_block_shapes", "--hidden_size", "0"},
        {"trace_block_shapes", "--hidden_size", "-4"},
        {"trace_block_shapes", "--hidden_size", ""},
        {"trace_block_shapes", "--hidden_size", "012"},
        {"trace_block_shapes", "--hidden_size"},
        {"trace_block_shapes", "--hidden_size", "99999999999999999999"},
        {"trace_block_shapes", "--hidden_size", "1000000", "--num_hidden_layers", "1000"},
        {"trace_block_shapes", "--num_key_value_heads", "3"},
        {"trace_block_shapes", "--head_dim", "15"},
        {"trace_block_shapes", "--seq_len", "129"},
        {"trace_block_shapes", "--rope_theta", "nan"},
        {"trace_block_shapes", "--rms_norm_eps", "1e400"},
        {"trace_block_shapes", "extra"},
        {"trace", "--input_ids", "1,2,6400"},
        {"trace", "--input_ids", "1,2;3"},
        {"trace", "--input_ids", "1,2", "--labels", "1,2,3"},
        {"trace", "--input_ids", "1,2", "--labels", "-5,2"},
        {"trace", "--input_ids", "1,2", "--attention_mask", "1,2"},
        {"trace", "--filter", "q_ropes"},
        {"trace", "--ablate", "k_repeat"},
        {"trace", "--layer", "2"},
        {"trace", "--past", "6"},
        {"trace", "--npy"},
        {"trace", "--hidden_act", "swish2"},
        {"params", "--preset", "minimind4"},
        {"hooks", "q_ropes"},
    };
    for (const auto& words : wrong) {
        std::string line;
        for (const std::string& word : words) line += word + " ";
        CAPTURE(line);
        result = run_program(words);
        CHECK(result.exit_code == 2);
        CHECK(result.err.rfind("error: ", 0) == 0);
        CHECK(result.out.empty());
    }
}

TEST_CASE("trace shows every stage, some by name, and their values") {
    const ProgramResult all = run_program({"trace", "--stats"});
    CHECK(all.exit_code == 0);
    CHECK(contains(all.out, "model.layers.1.self_attn.masked_scores"));
    CHECK(contains(all.out, "-inf=120"));  // 2 rows, 4 heads, 15 hidden keys of 6 x 6
    CHECK(contains(all.out, "[B=2, h=4, S=6, T=6]"));

    const json trace =
        json_of(run_program({"trace", "--filter", "q_rope", "--layer", "1", "--values", "2", "--format", "json"}).out);
    REQUIRE(trace["hooks"].size() == 1);
    CHECK(trace["hooks"][0]["name"] == "model.layers.1.self_attn.q_rope");
    CHECK(trace["hooks"][0]["alias"] == "blocks.1.attn.hook_rot_q");
    CHECK(trace["hooks"][0]["axes"] == json({"B", "S", "h", "D"}));
    CHECK(trace["hooks"][0]["values"].size() == 2);
    CHECK(trace["config"]["hidden_size"] == 64);
    CHECK(trace["tokens"].size() == 2);
}

TEST_CASE("a decode step on a cache has the cache's stages and ends in the same logits") {
    const std::vector<std::string> what = {"--filter", "lm_head", "--values",     "6400",
                                           "--format", "json",    "--batch_size", "1"};
    std::vector<std::string> full = {"trace", "--logits_to_keep", "1"};
    std::vector<std::string> step = {"trace", "--past", "5"};
    full.insert(full.end(), what.begin(), what.end());
    step.insert(step.end(), what.begin(), what.end());
    const json a = json_of(run_program(full).out)["hooks"][0]["values"];
    const json b = json_of(run_program(step).out)["hooks"][0]["values"];
    REQUIRE(a.size() == 6400);
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(std::abs(a[i].get<double>() - b[i].get<double>()) < 2e-5);  // float32 sums in another order
    }
    CHECK(contains(run_program({"trace", "--past", "5", "--layer", "0"}).out, "self_attn.k_cache"));
}

TEST_CASE("labels give a loss, -100 does not count, and a loss over nothing is explained") {
    ProgramResult result =
        run_program({"trace", "--input_ids", "1,2,3", "--labels", "-100,2,-100", "--filter", "loss*"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "over 1 labels"));
    result = run_program({"trace", "--input_ids", "1,2,3", "--labels=-100,-100,-100", "--filter", "loss"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "loss=nan"));
    CHECK(contains(result.err, "no label counts"));
}

TEST_CASE("an ablated stage is 0 and what comes after it changes") {
    const auto values = [](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"trace",    "--filter", "layers.0.mlp", "--filter", "model.norm",
                                          "--values", "3",        "--format",     "json"};
        words.insert(words.end(), more.begin(), more.end());
        return json_of(run_program(words).out)["hooks"];
    };
    const json before = values({});
    const json after = values({"--ablate", "layers.0.mlp"});
    CHECK(after[0]["values"] == json({0.0, 0.0, 0.0}));
    CHECK(before[0]["values"] != after[0]["values"]);
    CHECK(before[1]["values"] != after[1]["values"]);
}

TEST_CASE("a dump holds all stages and is not overwritten by accident") {
    const TemporaryDirectory directory;
    const std::string place = (directory.path() / "dump").string();
    CHECK(run_program({"trace", "--dump", place, "--npy"}).exit_code == 0);
    const fs::path step = fs::path(place) / "step000";
    SafetensorsFile tensors(step / "tensors.safetensors");
    std::ifstream file(step / "trace.json");
    const json trace = json_of(file);
    CHECK(trace["hooks"].size() == tensors.tensors().size());
    CHECK(tensors.at("model.layers.1.self_attn.k_repeat").shape == Shape{2, 6, 4, 16});
    CHECK(fs::exists(step / "model.norm.npy"));

    const ProgramResult again = run_program({"trace", "--dump", place});
    CHECK(again.exit_code == 2);
    CHECK(contains(again.err, "--force"));
    CHECK(run_program({"trace", "--dump", place, "--force", "--filter", "lm_head"}).exit_code == 0);
    CHECK(SafetensorsFile(step / "tensors.safetensors").tensors().size() == 1);
}

TEST_CASE("stop_on_nan names the first stage that has one") {
    const TemporaryDirectory directory;
    // an eps of 0 and an ablated embedding: 0 / sqrt(0)
    const ProgramResult result =
        run_program({"trace", "--stop_on_nan", "--ablate", "embed_tokens", "--rms_norm_eps", "1e-300"});
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, "model.layers.0.input_layernorm has"));
}

TEST_CASE("params counts exactly and explains the quoted figure") {
    ProgramResult result = run_program({"params", "--preset", "minimind3"});
    CHECK(contains(result.out, "total_unique_params=63,912,192"));
    CHECK(contains(result.err, "63.88M"));
    CHECK(contains(run_program({"params", "--preset", "minimind3", "--tie_word_embeddings", "0"}).out, "68,827,392"));
    result = run_program({"params", "--preset", "minimind3-moe", "--format", "json"});
    const json counts = json_of(result.out);
    CHECK(counts["totals"]["total"] == 198416640);
    CHECK(counts["totals"]["active"] == 63936768);
    CHECK(counts["trainer_line"] == "Model Params: 198.42M-A63.94M");
    std::int64_t sum = 0;
    for (const json& parameter : counts["parameters"]) sum += parameter["count"].get<std::int64_t>();
    CHECK(sum == 198416640);
    CHECK(contains(run_program({"params", "--preset", "minimind3", "--format", "table"}).out, "Model Params: 63.91M"));
    CHECK(contains(run_program({"params", "--format", "csv"}).out, "model.embed_tokens.weight,\"(6400, 64)\",409600"));
    CHECK(contains(run_program({"params", "--format", "markdown"}).out, "| model.norm.weight | (64,) | 64 |"));
}

TEST_CASE("save writes what --checkpoint and inspect read, and never overwrites by accident") {
    const TemporaryDirectory directory;
    const std::string place = (directory.path() / "saved").string();
    CHECK(run_program({"save", place, "--model_type", "qwen3", "--norm_weights", "random", "--seed", "7"}).exit_code ==
          0);
    const std::vector<std::string> what = {"--filter", "lm_head", "--values", "64", "--format", "json"};
    std::vector<std::string> fresh = {"trace", "--norm_weights", "random", "--seed", "7"};
    std::vector<std::string> saved = {"trace", "--checkpoint", place};
    fresh.insert(fresh.end(), what.begin(), what.end());
    saved.insert(saved.end(), what.begin(), what.end());
    const json a = json_of(run_program(fresh).out);
    const json b = json_of(run_program(saved).out);
    CHECK(a["weights_checksum"] == b["weights_checksum"]);
    CHECK(a["hooks"][0]["values"] == b["hooks"][0]["values"]);

    const ProgramResult again = run_program({"save", place});
    CHECK(again.exit_code == 2);
    CHECK(contains(again.err, "--force"));
    CHECK(run_program({"save", place, "--force"}).exit_code == 0);

    const json tensors = json_of(run_program({"inspect", place, "--filter", "model.norm*", "--format", "json"}).out);
    REQUIRE(tensors.size() == 1);
    CHECK(tensors[0]["dtype"] == "F32");
    CHECK(tensors[0]["shape"] == json({64}));
    CHECK(tensors[0]["statistics"]["mean"] == 1.0);
    CHECK(contains(run_program({"inspect", place}).out, "24 tensors, 532,864 values"));
    CHECK(run_program({"inspect", place + "/nothing"}).exit_code == 2);
    CHECK(run_program({"save"}).exit_code == 2);
}

TEST_CASE("a text is traced with the text of each token beside its position") {
    const ProgramResult result = run_program({"trace", "--text", "你好", "--filter", "model.norm"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "S of row 0:  0 '你'  1 '好'"));
    CHECK(run_program({"trace", "--text", "\xff"}).exit_code == 2);
    CHECK(run_program({"trace", "--text", "a", "--input_ids", "1"}).exit_code == 2);
}

TEST_CASE("every lab takes a text of the user's") {
    CHECK(contains(run_program({"trace_block_shapes", "--text", "你好"}).out, "input_ids.shape=(1, 2)"));
    CHECK(contains(run_program({"trace_attention_shapes", "--text", "你好"}).out, "x.shape=(1, 2, 64)"));
    CHECK(contains(run_program({"trace_rope_kv_cache", "--text", "你好，世界"}).out, "expected_prefix_cache_len=3"));
    CHECK(contains(run_program({"trace_loss_shift", "--text", "你好", "--max_length", "8"}).out,
                   "[Pretrain Source]\n你好\n"));
    CHECK(run_program({"trace_rope_kv_cache", "--text", "你"}).exit_code == 2);
    CHECK(contains(run_program({"trace", "--threads", "2", "--filter", "lm_head"}).out, "lm_head"));
    CHECK(run_program({"trace", "--threads", "0"}).exit_code == 2);
    const std::string checkpoint = std::string(MINIMIND_GOLDEN_DIR) + "/checkpoints/qwen3";
    CHECK(contains(run_program({"params", "--checkpoint", checkpoint}).out, "hidden_size=24"));
    CHECK(run_program({"trace", "--checkpoint", checkpoint, "--text", "a"}).exit_code == 2);  // whose tokenizer?
}

TEST_CASE("a full disk is a failed write, and another's files are left alone") {
    const TemporaryDirectory directory;
    const std::string place = (directory.path() / "dump").string();
    CHECK(run_program({"trace", "--dump", place}).exit_code == 0);
    std::ofstream(fs::path(place) / "step000" / "mine.txt") << "notes";
    CHECK(run_program({"trace", "--dump", place, "--force"}).exit_code == 0);
    CHECK(fs::exists(fs::path(place) / "step000" / "mine.txt"));
    CHECK(run_program({"trace", "--dump", ""}).exit_code == 2);
    CHECK(run_program({"trace", "--layer", "0", "--filter", "lm_head"}).exit_code == 2);
    CHECK(run_program({"params", "--compare", "--format", "xml"}).exit_code == 2);
    CHECK(run_program({"hooks", "--filter", "q_rope", "--filter", "nonsense"}).exit_code == 2);
    CHECK(run_program({"hooks", "model.layers.120.resid_pre"}).exit_code == 0);
}

TEST_CASE("docs/hooks.md is what the program prints") {
    const std::string document = file_text(fs::path(MINIMIND_SOURCE_DIR) / "docs" / "hooks.md");
    CHECK_MESSAGE(run_program({"hooks", "--format", "markdown"}).out == document,
                  "run `minimind hooks --format markdown > docs/hooks.md`");
}
