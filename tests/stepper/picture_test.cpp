// What is shown: the picture after a move, tables of numbers, shades and curves. All within 80 cells, in both languages.
#include "stepper/picture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "console/cells.hpp"
#include "stepper/shades.hpp"
#include "stepper/value_table.hpp"
#include "tiny_session.hpp"

using namespace minimind;

namespace {

std::size_t widest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
    return widest;
}

std::string table_of(const std::vector<float>& values, const Shape& shape, const std::string& slice,
                     std::size_t width = 80) {
    const TensorView view(values.data(), shape);
    return value_table(view, select(parse_slice(slice), shape, slice), width);
}

std::string shades_of(const ShadedMatrix& matrix, std::size_t width = 80) {
    return shaded(matrix, width, Language::en, Paint(false));
}

}  // namespace

TEST_CASE("the picture has the window, formula, shapes, statistics and first values") {
    TinySession tiny;
    // From S 5, h 4, D 6, as small_config and small_input have them.
    const std::string text = tiny.run("goto q_rope");
    CHECK(contains(text, "layer 0\n"));
    CHECK(contains(text, "     9/30 self_attn.q_norm                       [2, 5, 4, 6]\n"));
    CHECK(contains(text, "--> 11/30 self_attn.q_rope                       [2, 5, 4, 6]\n"));
    CHECK(contains(text, "    13/30 self_attn.k_repeat                     [2, 5, 4, 6]\n"));
    CHECK(contains(text, "formula  x * cos + rotate_half(x) * sin, rotate_half(x) = (-x[D/2:], x[:D/2])\n"));
    CHECK(contains(text, "(D = 6)\n"));
    CHECK(contains(text, "in       q_norm [B=2, S=5, h=4, D=6], cos [S=5, D=6], sin [S=5, D=6]\n"));
    CHECK(contains(text, "out      [B=2, S=5, h=4, D=6]\n"));
    CHECK(contains(text, "axes     B batch rows, S tokens, h query heads, D head_dim\n"));
    CHECK(contains(text, "stats    mean "));
    CHECK(contains(text, "values   [0, 0, 0, :] = "));
    CHECK(contains(tiny.run("goto lm_head"), "layer 2\n    30/30 resid_post"));
    CHECK(contains(tiny.out.str(), "after the blocks\n      1/2 model.norm"));
    CHECK(contains(tiny.run("goto embed_tokens"), "weight   embed_tokens.weight [50, 24]"));
}

TEST_CASE("what a stage reads is named with its shape") {
    TinySession tiny({true, 2, true, false});  // 2 cached, 3 new tokens, experts
    CHECK(contains(tiny.run("goto k_cache"), "in       k_rope [B=2, S=3, k=2, D=6], past_k [B=2, P=2, k=2, D=6]\n"));
    CHECK(contains(tiny.run("goto v_repeat"), "in       v_cache [B=2, T=5, k=2, D=6]\n"));
    CHECK(contains(tiny.run("goto layers.1.resid_pre"), "in       resid_post [B=2, S=3, H=24]\n"));
    CHECK(contains(tiny.run("goto layers.0.resid_pre"), "in       embed_tokens [B=2, S=3, H=24]\n"));
    CHECK(contains(tiny.run("goto model.norm"), "in       resid_post [B=2, S=3, H=24]\n"));
    CHECK(contains(tiny.run("layer 0 ;; goto mlp"), "topk_weight [B*S=6, K=2]"));
    CHECK(contains(tiny.out.str(), "experts."));
    CHECK(contains(tiny.run("goto per_token"), "shift_logits [B=2, S-1=2, V=50], shift_labels [B=2, S-1=2]"));
    CHECK(contains(tiny.run("goto loss"), "out      one number\n"));
}

TEST_CASE("nothing is wider than the terminal, in either language") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const PassOptions& options : {PassOptions{false, 2, true, true}, PassOptions{true, 0, false, false}}) {
            TinySession tiny(options, all_layers, language);
            for (const Stage& stage : tiny.state().recording->stages()) {
                if (stage.site().layer > 0) continue;
                for (const char* command :
                     {"goto ", "info ", "print ", "stats ", "heat ", "curve ", "params ", "source "}) {
                    const std::string line = command + stage.name();
                    CAPTURE(line);
                    CHECK(widest_line(tiny.run(line)) <= 80);
                }
            }
            for (const char* line : {"list", "help", "help break", "break scores ;; break", "layer", "goto nowhere"}) {
                CAPTURE(line);
                CHECK(widest_line(tiny.run(line)) <= 80);
            }
        }
    }
}

TEST_CASE("info says what enters a block beside x") {
    TinySession cached({false, 3, false, true});
    std::string text = cached.run("info scores");
    CHECK(contains(text, "positions 3 to 4"));
    CHECK(contains(text, "keys and values [B=2, P=3, k=2, D=6]"));
    CHECK(contains(text, "T = P + S = 5 keys"));
    CHECK(contains(text, "[B=2, T=5], 2 keys hidden as padding"));
    CHECK(contains(text, "blocks.0.attn.hook_attn_scores") == false);  // there it means the masked ones
    CHECK(contains(cached.run("info masked_scores"), "blocks.0.attn.hook_attn_scores"));
    TinySession plain;
    text = plain.run("info k");
    CHECK(contains(text, "none: T = S keys"));
    CHECK(contains(text, "none given"));
    CHECK(contains(text, "the bytes of an earlier stage"));
    CHECK_FALSE(contains(plain.run("info embed_tokens"), "a block gets"));
}

TEST_CASE("tables show matrices row by row, and leave out the middle of what is too much") {
    const std::vector<float> small = {1.0F, -2.5F, 0.125F, 1e6F, 3.0F, -0.0F};
    CHECK(table_of(small, {2, 3}, "") ==
          "[0]     1  -2.5 0.125\n"
          "[1] 1e+06     3    -0\n");
    CHECK(table_of(small, {2, 3}, "[1]") == "[0] 1e+06     3    -0\n");
    CHECK(table_of(small, {2, 3}, "[:,1]") == "[0] -2.5    3\n");
    CHECK(table_of({0.1F}, {1}, "[0]") == "0.1\n");  // one number: all digits that a float needs
    CHECK(table_of({1.0F / 3.0F}, {}, "") == "0.33333334\n");
    CHECK(table_of(small, {2, 3}, "[1,2:2]") == "[]\n");
    CHECK(table_of(small, {1, 2, 3}, "") ==
          "[0, :, :]\n"
          "[0]     1  -2.5 0.125\n"
          "[1] 1e+06     3    -0\n");

    const std::vector<float> many(40 * 100, 1.0F);
    const std::string text = table_of(many, {40, 100}, "");
    CHECK(contains(text, "\n...\n"));
    CHECK(contains(text, "..."));
    CHECK(contains(text, "\n[39]"));
    CHECK(widest_line(text) <= 80);
    // A vector goes on in the next line, which begins with the index of its first number.
    CHECK(table_of(std::vector<float>(12, 7.0F), {12}, "", 20) ==
          " [0]   7   7   7\n [3]   7   7   7\n [6]   7   7   7\n [9]   7   7   7\n");
}

TEST_CASE("shades go from the least to the largest value, and what takes no part is blank") {
    constexpr double none = -std::numeric_limits<double>::infinity();
    ShadedMatrix matrix;
    matrix.rows = {{0.0, none, none}, {1.0, 8.0, none}, {4.0, 9.0, 0.0}};
    matrix.down = {"S", {"0", "1", "2"}, {}};
    matrix.across = {"T", {"0", "1", "2"}, {}};
    CHECK(shades_of(matrix) ==
          "S\\T 0 1 2\n"
          "0   ..\n"
          "1   ::@@\n"
          "2   ++@@..\n"
          ". 0 ... @ 9, blank -inf\n");
    matrix.zero_is_blank = true;
    CHECK(contains(shades_of(matrix), "2   ==@@\n"));  // the scale begins at 1 now
    CHECK(contains(shades_of(matrix), "blank 0"));
    matrix.rows[0][0] = std::nan("");
    CHECK(contains(shades_of(matrix), "0   ??\n"));
    CHECK(contains(shades_of(matrix), "? NaN"));
    matrix.rows = {{3.0, 3.0, 3.0}};
    matrix.down = {};
    CHECK(contains(shades_of(matrix), "@@@@@@"));  // all equal
}

TEST_CASE("tokens stand on the axes, cut by cells") {
    ShadedMatrix matrix;
    matrix.rows = {{0.0, 1.0}, {2.0, 3.0}};
    matrix.down = {"S", {"0", "1"}, {"你好", "hello"}};
    matrix.across = {"T", {"0", "1"}, {"你好", "hello"}};
    const std::string text = shades_of(matrix);
    CHECK(contains(text, "        你好  hello\n"));
    CHECK(contains(text, "0 你好  ..... =====\n"));
    CHECK(contains(text, "1 hello"));
}

TEST_CASE("a matrix larger than the screen is drawn in means") {
    ShadedMatrix matrix;
    for (int r = 0; r < 100; ++r) {
        matrix.rows.emplace_back(300, r < 50 ? -1.0 : 1.0);
        matrix.down.labels.push_back(std::to_string(r));
    }
    for (int c = 0; c < 300; ++c) matrix.across.labels.push_back(std::to_string(c));
    const std::string text = shades_of(matrix);
    CHECK(widest_line(text) <= 80);
    CHECK(contains(text, "; a character is the mean of 4 x 4 values"));
    CHECK(contains(text, "0  ..."));
    CHECK(contains(text, "96 @@@"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 25 + 1);
}

TEST_CASE("attention's triangle is visible") {
    TinySession tiny;
    const std::string text = tiny.run("heat attn_weights[1,3]");
    CHECK(contains(text, "self_attn.attn_weights[1, 3, :, :]  [5, 5]\nS\\T 0 1 2 3 4\n0   @@\n1   "));
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    for (std::size_t row = 0; row < 5; ++row) {  // row i sees keys 0 to i
        std::getline(lines, line);
        CHECK(line.size() == 4 + 2 * (row + 1));
        CHECK(line.find(' ', 4) == std::string::npos);
    }
}

TEST_CASE("a curve runs from the largest to the least value, with the line of zero") {
    CHECK(curve({0.0, 1.0, -1.0}, {"D", {"0", "1", "2"}, {}}, 20, 3, Language::en) ==
          " 1 |   *\n"
          "   |*--------\n"
          "-1 |      *\n"
          "    0       2  D\n");
    CHECK(contains(curve({std::nan("")}, {}, 80, 5, Language::en), "no finite values"));
    const std::string many = curve(std::vector<double>(1000, 2.0), {}, 80, 5, Language::zh);
    CHECK(contains(many, "每列代表"));
    CHECK(widest_line(many) <= 80);
}
