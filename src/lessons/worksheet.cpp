#include "lessons/worksheet.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/text.hpp"

namespace minimind {

namespace {

using WorksheetFunction = std::vector<Item> (*)(const Sizes&);

const std::map<int, WorksheetFunction>& worksheets() {
    static const std::map<int, WorksheetFunction> all = {
        {8, worksheet_8},   {9, worksheet_9},   {10, worksheet_10}, {11, worksheet_11},
        {12, worksheet_12}, {13, worksheet_13}, {21, worksheet_21}, {22, worksheet_22},
        {23, worksheet_23}, {24, worksheet_24}, {25, worksheet_25},
    };
    return all;
}

/// A mixture of experts, where that is what the lesson is about. Other sizes than the model's defaults, 4 experts of
/// which 1 is chosen, so that a forgotten factor K shows.
void use_experts(ModelConfig& config, std::int64_t experts, std::int64_t chosen) {
    config.use_moe = true;
    config.num_experts = experts;
    config.num_experts_per_tok = chosen;
}

/// With four decimals, or more where these would be another answer: "0.9987", "2.5e-05".
std::string real_text(double value, double tolerance) {
    const bool is_near = std::abs(std::round(value * 1e4) / 1e4 - value) <= tolerance;
    return is_near ? fmt::format("{:.4f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace

Answer shape_answer(Shape shape) {
    Answer answer;
    answer.kind = Answer::Kind::shape;
    answer.shape = std::move(shape);
    return answer;
}

Answer count_answer(std::int64_t count) {
    Answer answer;
    answer.kind = Answer::Kind::count;
    answer.number = static_cast<double>(count);
    return answer;
}

Answer bytes_answer(std::int64_t bytes) {
    Answer answer = count_answer(bytes);
    answer.is_bytes = true;
    return answer;
}

Answer real_answer(double value, double tolerance) {
    Answer answer;
    answer.kind = Answer::Kind::real;
    answer.number = value;
    answer.tolerance = tolerance;
    return answer;
}

Answer word_answer(std::vector<std::string> words) {
    Answer answer;
    answer.kind = Answer::Kind::word;
    answer.words = std::move(words);
    return answer;
}

std::string answer_text(const Answer& answer) {
    switch (answer.kind) {
        case Answer::Kind::shape:
            return shape_text(answer.shape);
        case Answer::Kind::count:
            return with_commas(static_cast<std::int64_t>(answer.number));
        case Answer::Kind::real:
            return real_text(answer.number, answer.tolerance);
        case Answer::Kind::word:
            return answer.words.empty() ? "" : answer.words.front();
    }
    return "";
}

ModelConfig lesson_config(int lesson) {
    ModelConfig config = preset("tiny");
    if (lesson == 13) use_experts(config, 4, 2);
    return config;
}

ModelConfig transfer_config(int lesson) {
    ModelConfig config = preset("tiny");
    config.hidden_size = 96;
    config.num_hidden_layers = 5;
    config.num_attention_heads = 6;
    config.num_key_value_heads = 2;
    config.head_dim = 20;
    if (lesson == 13) use_experts(config, 8, 3);
    return config;
}

Sizes lesson_sizes(int lesson) {
    return {completed(lesson_config(lesson)), lesson_batch};
}

Sizes transfer_sizes(int lesson) {
    return {completed(transfer_config(lesson)), transfer_batch};
}

std::vector<Item> worksheet(int lesson, const Sizes& sizes) {
    const auto found = worksheets().find(lesson);
    return found == worksheets().end() ? std::vector<Item>{} : found->second(sizes);
}

const std::vector<int>& worksheet_lessons() {
    static const std::vector<int> lessons = [] {
        std::vector<int> numbers;
        for (const auto& [lesson, function] : worksheets()) numbers.push_back(lesson);
        return numbers;
    }();
    return lessons;
}

}  // namespace minimind
