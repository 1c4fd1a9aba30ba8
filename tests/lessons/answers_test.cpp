#include "lessons/answers.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace minimind;

namespace {

Item item_with(Answer right, std::vector<Answer> mistakes = {}) {
    Item item;
    item.right = std::move(right);
    for (Answer& mistake : mistakes) item.mistakes.push_back({std::move(mistake), {"revealed", "说明"}});
    return item;
}

/// "right", "wrong", ... for an answer at the tiny model's sizes.
std::string verdict(const Item& item, const std::string& written) {
    return verdict_name(judge(item, written, lesson_sizes(9)).verdict);
}

std::string verdict(const Answer& right, const std::string& written) {
    return verdict(item_with(right), written);
}

double value_of(const std::string& written) {
    const auto number = read_number(written);
    REQUIRE_MESSAGE(number.has_value(), written);
    return number->value();
}

}  // namespace

TEST_CASE("a shape may be written in many ways") {
    const Answer right = shape_answer({2, 6, 64});
    for (const char* written : {"[2,6,64]",
                                "(2, 6, 64)",
                                "2x6x64",
                                "2×6×64",
                                "2 6 64",
                                "（２，６，６４）",
                                "2, 6, 64",
                                "【2、6、64】",
                                "2 x 6 x 64",
                                "２×６×６４",
                                "torch.Size([2, 6, 64])",
                                "shape=(2, 6, 64)",
                                "(2, 6, 64,)",
                                "2*6*64",
                                "(B, S, H)",
                                "B×S×H",
                                "[batch_size, seq_len, hidden_size]",
                                "(B, S, h*D)",
                                "(B, S, hD)",
                                "(B, S, 4D)",
                                "(B, S, h*D+k-2)",
                                "[2, 7 - 1, 32+32]"}) {
        CHECK_MESSAGE(verdict(right, written) == "right", written);
    }
    for (const char* written : {"(2, 6)", "(2, 6, 65)", "64", "(2, 64, 6)", "(B, S, V)", "()", "scalar"}) {
        CHECK_MESSAGE(verdict(right, written) == "wrong", written);
    }
    for (const char* written :
         {"(2, 6, 64", "(2,, 64)", "abc", "(2, 6, -64)", "(2, 6, 6.4)", "[[2], 6, 64]", "(B, S, Q)", "(2, 6, 2-66)",
          "(2, 6, 64-)", "(2, 6, 99999999999999999999)", "x", ",", "(2, 6, 64) + 1"}) {
        CHECK_MESSAGE(verdict(right, written) == "unreadable", written);
    }
    CHECK(verdict(right, std::string(5000, '(')) == "unreadable");
    CHECK(verdict(right, "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1") == "unreadable");
    CHECK(verdict(shape_answer({}), "()") == "right");
    CHECK(verdict(shape_answer({}), "标量") == "right");
    CHECK(verdict(shape_answer({64}), "(64,)") == "right");
    CHECK(judge(item_with(right), "(2, 64, 6)", lesson_sizes(9)).message.en.find("another order") != std::string::npos);
}

TEST_CASE("numbers are read with their units") {
    CHECK(value_of("63912192") == 63912192.0);
    CHECK(value_of("63,912,192") == 63912192.0);
    CHECK(value_of("６３，９１２，１９２") == 63912192.0);
    CHECK(value_of("63_912_192") == 63912192.0);
    CHECK(value_of("63 912 192") == 63912192.0);
    CHECK(value_of("6391,2192") == 63912192.0);
    CHECK(value_of("63.9M") == doctest::Approx(63.9e6));
    CHECK(value_of("63.9 million") == doctest::Approx(63.9e6));
    CHECK(value_of("６３．９Ｍ") == doctest::Approx(63.9e6));
    CHECK(value_of("6391万") == 63910000.0);
    CHECK(value_of("约 6391.2 万个") == doctest::Approx(63912000.0));
    CHECK(value_of("0.64亿") == doctest::Approx(64e6));
    CHECK(value_of("6.39e7") == doctest::Approx(63.9e6));
    CHECK(value_of("24 MiB") == 25165824.0);
    CHECK(value_of("7.14%") == doctest::Approx(0.0714));
    CHECK(value_of("-0.28") == -0.28);
    CHECK(value_of("−0.28") == -0.28);
    CHECK(value_of(".5") == 0.5);
    CHECK(value_of("28.") == 28.0);
    CHECK(value_of("10倍") == 10.0);
    for (const char* written : {"", "abc", "1,23", "63.912.192", "1e999", "12 34", "1234,567", "(2, 6)", "2x6", "0x10",
                                "nan", "inf", "--5", "5 apples", "1e", "1亿2345万"}) {
        CHECK_MESSAGE(!read_number(written).has_value(), written);
    }
    CHECK(!read_number(std::string(5000, '9')).has_value());
}

TEST_CASE("a count may be rounded to three digits or more if it says so") {
    const Answer total = count_answer(63912192);
    for (const char* written : {"63912192", "63,912,192", "63.9M", "63.91M", "63.912192M", "63.9 million", "6391万",
                                "6391.2万", "0.639亿", "63,900,000", "6.391e7", "63912192 parameters", "63.9m"}) {
        CHECK_MESSAGE(verdict(total, written) == "right", written);
    }
    for (const char* written : {"63912191", "63.8M", "63.88M", "64.0M", "6390.2万", "63,912,000.5", "1"}) {
        CHECK_MESSAGE(verdict(total, written) == "wrong", written);
    }
    CHECK(verdict(total, "64M") == "unreadable");                // two digits: rounded too far
    CHECK(verdict(total, "0.64亿") == "unreadable");             // likewise
    CHECK(verdict(count_answer(64'000'000), "64M") == "right");  // exact, not rounded
    CHECK(verdict(count_answer(123112), "123k") == "right");
    CHECK(verdict(count_answer(123112), "123000") == "wrong");  // below a million zeros are digits
    CHECK(verdict(count_answer(28), "28.0") == "right");
    CHECK(verdict(count_answer(28), "28.2") == "wrong");
    CHECK(verdict(count_answer(28), "-28") == "wrong");
    CHECK(verdict(count_answer(0), "0") == "right");
    CHECK(verdict(count_answer(28), "28%") == "unreadable");
}

TEST_CASE("a rounding that fits a common mistake, too, is not accepted") {
    const Item layer = item_with(count_answer(123112), {count_answer(123072)});
    CHECK(verdict(layer, "123.1k") == "unreadable");
    CHECK(judge(layer, "123.1k", lesson_sizes(9)).message.en.find("common mistake") != std::string::npos);
    CHECK(verdict(layer, "123.11k") == "right");
    CHECK(verdict(layer, "123.07k") == "wrong");
    CHECK(judge(layer, "123.07k", lesson_sizes(9)).mistake == 0U);
    CHECK(verdict(layer, "123112") == "right");
}

TEST_CASE("the right number in the wrong unit is told apart") {
    const Answer total = count_answer(63912192);
    for (const char* written :
         {"63.9", "6391", "63.9K", "63.9万", "63.9G", "255648768", "255.6 MB", "63.9MB", "0.639"}) {
        CHECK_MESSAGE(verdict(total, written) == "wrong_unit", written);
    }
    const Answer cache = bytes_answer(6144);
    CHECK(verdict(cache, "6 KiB") == "right");
    CHECK(verdict(cache, "6144 bytes") == "right");
    CHECK(verdict(cache, "1536") == "wrong_unit");  // float32 numbers
    CHECK(verdict(cache, "6.14 KB") == "right");
    const Answer share = real_answer(0.0714, 5e-5);
    CHECK(verdict(share, "7.14%") == "right");
    CHECK(verdict(share, "7.14") == "wrong_unit");
    CHECK(verdict(real_answer(7.14, 5e-3), "7.14%") == "right");
    CHECK(verdict(real_answer(7.14, 5e-3), "0.0714") == "wrong_unit");
    CHECK(judge(item_with(total), "63.9", lesson_sizes(9)).message.zh.find("单位") != std::string::npos);
}

TEST_CASE("a real is right within its tolerance, and a mistake has its own") {
    const Item item = item_with(real_answer(0.9988, 3e-4), {real_answer(1.0, 1e-4), real_answer(0.02, 5e-4)});
    CHECK(verdict(item, "0.9988") == "right");
    CHECK(verdict(item, "0.999") == "right");
    CHECK(verdict(item, "99.88%") == "right");
    CHECK(verdict(item, "1") == "wrong");
    CHECK(judge(item, "1.0000", lesson_sizes(9)).mistake == 0U);
    CHECK(judge(item, "0.0199", lesson_sizes(9)).mistake == 1U);
    CHECK(!judge(item, "0.5", lesson_sizes(9)).mistake.has_value());
    CHECK(verdict(item, "r/sqrt(r^2+eps)") == "unreadable");
    CHECK(answer_text(real_answer(0.0005, 1e-6)) == "0.0005");
    CHECK(answer_text(real_answer(2.5e-5, 1e-7)) == "2.5e-05");
}

TEST_CASE("words do not depend on case, spaces, quotes and the module's path") {
    const Item item = item_with(word_answer({"resid_mid", "残差中点"}), {word_answer({"resid_pre"})});
    for (const char* written : {"resid_mid", "Resid_Mid", "`resid_mid`", "resid mid", "resid-mid", "self.resid_mid",
                                "model.layers.0.resid_mid", "model.layers.11.resid_mid", "layers.1.resid_mid",
                                "ｒｅｓｉｄ＿ｍｉｄ", "残差中点", "\"resid_mid\"", "resid_mid."}) {
        CHECK_MESSAGE(verdict(item, written) == "right", written);
    }
    CHECK(judge(item, "RESID_PRE", lesson_sizes(9)).mistake == 0U);
    CHECK(verdict(item, "resid_post") == "wrong");
    const Item axis = item_with(word_answer({"-1", "T"}), {word_answer({"1", "h"})});
    CHECK(verdict(axis, "-1") == "right");
    CHECK(verdict(axis, "－１") == "right");
    CHECK(verdict(axis, "1") == "wrong");
}

TEST_CASE("a mistake that is the right answer at these sizes is not named") {
    const Item item = item_with(shape_answer({2, 6, 64}), {shape_answer({2, 6, 64})});
    CHECK(verdict(item, "(2, 6, 64)") == "right");
    CHECK(!tells_apart(item));
    CHECK(tells_apart(item_with(shape_answer({2, 6, 64}), {shape_answer({2, 6, 65})})));
}

TEST_CASE("whatever is written, it is judged") {
    const std::vector<std::string> pieces = {"2",  ",", "6",  "×",  "x",    "(",     ")",  "[",  "B",
                                             "H",  "h", "D",  ".",  "9",    "M",     "万", "亿", "%",
                                             "e9", "-", "（", "，", " ",    "\xff",  "\t", "=",  "＝",
                                             "KB", "*", "+",  "`",  "mlp.", "self.", "0",  ":",  "\xe4\xb8"};
    const std::vector<Item> items = worksheet(9, lesson_sizes(9));
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        std::string written;
        for (auto n = random() % 12; n > 0; --n) written += pieces[random() % pieces.size()];
        const Item& item = items[static_cast<std::size_t>(i) % items.size()];
        const Judgement judgement = judge(item, written, lesson_sizes(9));
        const bool needs_words = judgement.verdict == Verdict::unreadable || judgement.verdict == Verdict::wrong_unit;
        CHECK_MESSAGE((!needs_words || !judgement.message.empty()), written);
    }
}
