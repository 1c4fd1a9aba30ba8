// The course's labs with --explain and --format json: what these add, and that the JSON is what the text shows.
#include <cstdlib>
#include <regex>

#include "lab_json.hpp"
#include "lab_support.hpp"
#include "support/json_of.hpp"
#include "support/text.hpp"

using namespace minimind;
using nlohmann::json;

namespace {

/// Each lab at its defaults and at sizes that are all different.
const std::vector<CommandLine>& command_lines() {
    static const std::vector<CommandLine> all = {
        {"inspect_model_config_params"},
        {"inspect_model_config_params", "--use_moe", "1", "--tie_word_embeddings", "0", "--head_dim", "20"},
        {"inspect_model_config_params", "--compare"},
        {"inspect_tokenizer"},
        {"inspect_tokenizer", "--text", "", "--open_thinking"},
        {"trace_cli_inference"},
        {"trace_block_shapes"},
        {"trace_block_shapes", "--num_hidden_layers", "3", "--use_moe", "1", "--tie_word_embeddings", "0"},
        {"trace_loss_shift"},
        {"trace_loss_shift", "--mode", "pretrain", "--index", "2", "--max_length", "32"},
        {"trace_loss_shift", "--text", "1, 2", "--show_rows", "0", "--max_length", "9"},
        {"trace_attention_shapes"},
        {"trace_attention_shapes", "--seq_len", "7", "--num_key_value_heads", "4", "--batch_size", "3"},
        {"trace_attention_shapes", "--input_ids", "5,4,3", "--num_attention_heads", "6", "--head_dim", "20"},
        {"trace_rope_kv_cache"},
        {"trace_rope_kv_cache", "--seq_len", "9", "--max_new_tokens", "0", "--num_key_value_heads", "1"},
    };
    return all;
}

std::string joined(const CommandLine& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string explanation(CommandLine words, const std::string& title) {
    words.push_back("--explain");
    return section_of(run_lab(words), title).at("explanation");
}

}  // namespace

TEST_CASE("every lab explains every section, and explaining changes nothing else") {
    for (const CommandLine& words : command_lines()) {
        const std::string line = joined(words);
        CAPTURE(line);
        check_explanations(words);
    }
}

TEST_CASE("every lab's JSON has the sections, names and numbers of its text") {
    for (const CommandLine& words : command_lines()) {
        const std::string line = joined(words);
        CAPTURE(line);
        check_json_holds_text(words);
    }
}

TEST_CASE("explanations speak of the model at hand") {
    CHECK(contains(explanation({"trace_attention_shapes"}, "Config"), "n_rep = 4 / 2 = 2"));
    CHECK(contains(explanation({"trace_attention_shapes", "--num_key_value_heads", "4"}, "Config"), "n_rep is 1"));
    CHECK(contains(explanation({"trace_attention_shapes"}, "Q/K Norm"), "40 of them for q, 20 for k"));  // 2 x 5 x 4
    CHECK(contains(explanation({"trace_block_shapes", "--tie_word_embeddings", "0"}, "LM Head"), "untied"));
    CHECK(contains(explanation({"trace_block_shapes"}, "Block 1"), "block 0's output"));
    // A cached token: 2 x 2 layers x (2 heads x 16) numbers x 4 bytes.
    CHECK(contains(explanation({"trace_rope_kv_cache"}, "Reading Rule"), "512 bytes"));
    CHECK(contains(explanation({"trace_loss_shift"}, "Loss"), "ln(6400) = 8.7641"));
    CHECK(contains(explanation({"inspect_tokenizer", "--text", "你好"}, "plain text"), "2 characters, 6 bytes"));
    CHECK(contains(explanation({"inspect_tokenizer"}, "special token: im_start"), "marked as special"));
    CHECK(contains(explanation({"inspect_tokenizer"}, "special token: think"), "not marked as special"));
}

TEST_CASE("params explains which sizes were given and adds its numbers up") {
    CHECK(contains(explanation({"params", "--preset", "minimind3"}, "Config"), "768 / 8 = 96"));
    CHECK(contains(explanation({"params", "--hidden_size", "770", "--num_attention_heads", "8"}, "Config"),
                   "770 / 8, rounded down to 96"));
    CHECK(contains(explanation({"params", "--head_dim", "20", "--intermediate_size", "100"}, "Config"),
                   "intermediate_size was given"));
    CHECK(contains(explanation({"params", "--preset", "minimind3"}, "Simple Formulas"),
                   "4,915,200 + 58,996,224 + 768 = 63,912,192"));
    CHECK(contains(explanation({"params", "--preset", "minimind3", "--tie_word_embeddings", "0"}, "Simple Formulas"),
                   "2 x 4,915,200 + 58,996,224 + 768 = 68,827,392"));
}

TEST_CASE("trace_block_shapes: one row a line, with the hook that the stage has") {
    const json block = section_of(run_lab({"trace_block_shapes"}), "Block 0");
    const std::regex line_of_stage(R"((.+?) +shape=\((\d+), (\d+), (\d+)\) mean_rms=(\d\.\d{6}))");
    std::size_t row = 0;
    bool in_block = false;
    for (const std::string& line : lines_of(lab_text({"trace_block_shapes"}))) {
        if (line == "[Block 0]" || line == "[Block 1]") in_block = line == "[Block 0]";
        std::smatch stage;
        if (!in_block || !std::regex_match(line, stage, line_of_stage)) continue;
        const json& object = block.at("rows").at(row++);
        CHECK(object.at("stage") == stage.str(1));
        CHECK(object.at("shape") == json({2, 6, 64}));
        // printed with six decimals
        CHECK(std::abs(object.at("mean_rms").get<double>() - std::stod(stage.str(5))) < 0.51e-6);
    }
    CHECK(row == 7);
    CHECK(block.at("rows").at(3).at("hook") == "model.layers.0.resid_mid");
}

TEST_CASE("trace_attention_shapes: the matrix is the printed one, row by row") {
    const json values = section_of(run_lab({"trace_attention_shapes"}), "Scores and Causal Mask").at("values");
    const json& weights = values.at("attention_weights[0, 0]");
    REQUIRE(weights.size() == 5);
    std::size_t row = 0;
    for (const std::string& line : lines_of(lab_text({"trace_attention_shapes"}))) {
        if (!std::regex_match(line, std::regex("( \\d\\.\\d{4} ?){5}"))) continue;
        std::istringstream printed(line);
        double sum = 0.0;
        for (std::size_t column = 0; column < 5; ++column) {
            double number = 0.0;
            printed >> number;
            const double weight = weights.at(row).at(column);
            CHECK(std::abs(weight - number) < 0.51e-4);  // printed with four decimals
            CHECK((column <= row || weight == 0.0));
            sum += weight;
        }
        CHECK(std::abs(sum - 1.0) < 1e-6);  // five float32 weights
        ++row;
    }
    CHECK(row == 5);
}

TEST_CASE("trace_loss_shift: the alignment's rows, and null where there is no number") {
    const json rows = section_of(run_lab({"trace_loss_shift"}), "Shift Alignment").at("rows");
    REQUIRE(rows.size() == 60);
    std::size_t counted = 0;
    for (std::size_t t = 0; t + 1 < rows.size(); ++t) {
        const json& row = rows.at(t);
        CHECK(row.at("position") == t);
        CHECK(row.at("participates") == (row.at("label") != -100));
        CHECK(row.at("label_token").is_null() == (row.at("label") == -100));
        if (row.at("participates") == false) continue;
        ++counted;
        CHECK(row.at("label") == rows.at(t + 1).at("input_id"));  // the label is the next input
        CHECK(row.at("label_token") == rows.at(t + 1).at("input_token"));
    }
    CHECK(counted == 34);
    CHECK(rows.at(3).at("input_token") == "\n");  // as it is, though the text writes it out

    // Four ids of a chat are all the user's: nothing to learn, so there is no loss.
    const ProgramResult nothing = run_program({"trace_loss_shift", "--max_length", "4", "--format", "json"});
    CHECK(nothing.exit_code == 0);
    CHECK(contains(nothing.err, "no label counts"));
    const json loss = section_of(json_of(nothing.out), "Loss").at("values");
    for (const char* key : {"model_forward_loss", "manual_shift_loss", "abs_diff", "mean_active_per_token_loss"}) {
        CHECK(loss.at(key).is_null());
    }
    CHECK(loss.at("active_loss_positions") == 0);
    const std::string text = run_program({"trace_loss_shift", "--max_length", "4"}).out;
    CHECK(contains(text, "manual_shift_loss=nan\n"));  // as Python prints it: no sign
    CHECK(contains(text, "mean_active_per_token_loss=nan\n"));
}

TEST_CASE("params: JSON is the report with the sections beside it, and a comparison in every format") {
    const json params = run_lab({"params", "--preset", "minimind3-moe"});
    CHECK(params.at("totals").at("total") == 198416640);
    CHECK(params.at("parameters").size() > 100);
    CHECK(section_of(params, "Parameter Breakdown").at("values").at("total_unique_params") == 198416640);

    const json rows = section_of(run_lab({"params", "--compare"}), "Comparison").at("rows");
    REQUIRE(rows.size() == 5);
    CHECK(rows.at(1).at("hidden_size") == 96);
    CHECK(rows.at(4).at("total").get<int>() - rows.at(0).at("total").get<int>() == 6400 * 64);  // the second table

    CHECK(contains(run_program({"params", "--compare", "--format", "csv"}).out,
                   "\nuntied_lm_head,64,2,6400,4/2/16,False,"));
    CHECK(contains(run_program({"params", "--compare", "--format", "markdown"}).out, "| untied_lm_head |"));
    CHECK(contains(run_program({"params", "--compare", "--format", "table"}).out, "heads/kv/head_dim"));
    check_refused({"params", "--format", "csv", "--explain"}, "--explain");
}

TEST_CASE("minimind labs as JSON, and where to read about them") {
    const json list = json_of(run_program({"labs", "--format", "json"}).out);
    REQUIRE(list.size() >= 7);
    int lesson = 0;
    for (const json& lab : list) {
        CHECK(lab.size() == 3);
        CHECK(!lab.at("summary").get<std::string>().empty());
        CHECK(lab.at("lesson").get<int>() >= lesson);  // by lesson
        lesson = lab.at("lesson");
    }
    CHECK(list.at(0) == json{{"lesson", 3},
                             {"name", "trace_cli_inference"},
                             {"summary", "from a question to an answer: prompt, ids, logits, new tokens"}});
    CHECK(contains(run_program({"labs"}).out, "`minimind lessons N`"));
    CHECK(contains(run_program({"labs", "--lang", "zh"}).out, "`minimind lessons 编号`"));
}
