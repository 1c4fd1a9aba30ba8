#include "lessons/answers.hpp"

#include <algorithm>
#include <cmath>

#include "lessons/judging.hpp"

namespace minimind {

namespace {

/// Is the word, as read_word gives it, one of the answer's names?
bool is_named(const Answer& answer, const std::string& word) {
    return std::any_of(answer.words.begin(), answer.words.end(),
                       [&word](const std::string& name) { return read_word(name) == word; });
}

}  // namespace

std::string verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::right:
            return "right";
        case Verdict::wrong:
            return "wrong";
        case Verdict::blank:
            return "blank";
        case Verdict::unreadable:
            return "unreadable";
        case Verdict::wrong_unit:
            return "wrong_unit";
    }
    return "";
}

Judgement judge(const Item& item, std::string_view written, const Sizes& sizes) {
    if (is_blank(written)) return {};
    switch (item.right.kind) {
        case Answer::Kind::shape:
            return judge_shape(item, written, sizes);
        case Answer::Kind::count:
            return judge_count(item, written);
        case Answer::Kind::real:
            return judge_real(item, written);
        case Answer::Kind::word:
            return judge_word(item, written);
    }
    return {};
}

Symbols symbols_of(const Sizes& sizes) {
    const ModelConfig& config = sizes.config;
    const Batch& batch = sizes.batch;
    return {{"B", batch.batch},
            {"S", batch.seq},
            {"P", sizes.past},
            {"T", sizes.past + batch.seq},
            {"H", config.hidden_size},
            {"h", config.num_attention_heads},
            {"k", config.num_key_value_heads},
            {"D", config.head_dim},
            {"I", config.intermediate_size},
            {"L", config.num_hidden_layers},
            {"V", config.vocab_size},
            {"E", config.num_experts},
            {"K", config.num_experts_per_tok},
            {"batch_size", batch.batch},
            {"seq_len", batch.seq},
            {"hidden_size", config.hidden_size},
            {"num_hidden_layers", config.num_hidden_layers},
            {"num_attention_heads", config.num_attention_heads},
            {"num_key_value_heads", config.num_key_value_heads},
            {"head_dim", config.head_dim},
            {"intermediate_size", config.intermediate_size},
            {"vocab_size", config.vocab_size},
            {"num_experts", config.num_experts},
            {"num_experts_per_tok", config.num_experts_per_tok}};
}

bool tells_apart(const Item& item) {
    return std::none_of(item.mistakes.begin(), item.mistakes.end(),
                        [&item](const Mistake& mistake) { return are_same(item.right, mistake.answer); });
}

Words form_of(const Answer& answer) {
    switch (answer.kind) {
        case Answer::Kind::shape:
            return {"a shape, such as (2, 3) or 2x3", "一个 shape，例如 (2, 3) 或 2x3"};
        case Answer::Kind::count:
            if (answer.is_bytes) return {"a number of bytes, such as 4096 or 4 KiB", "字节数，例如 4096 或 4 KiB"};
            return {"a whole number, such as 1234, 1.23M or 123万", "一个整数，例如 1234、1.23M 或 123万"};
        case Answer::Kind::real:
            return {"a number, such as 0.25 or 1.5", "一个数，例如 0.25 或 1.5"};
        case Answer::Kind::word:
            return {"a name", "一个名字"};
    }
    return {};
}

bool are_same(const Answer& a, const Answer& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Answer::Kind::shape:
            return a.shape == b.shape;
        case Answer::Kind::count:
            return a.number == b.number;
        case Answer::Kind::real:
            return std::abs(a.number - b.number) <= a.tolerance;
        case Answer::Kind::word:
            return std::any_of(a.words.begin(), a.words.end(),
                               [&b](const std::string& word) { return is_named(b, read_word(word)); });
    }
    return false;
}

std::optional<Judgement> judged_as_mistake(const Item& item, const std::function<bool(const Answer&)>& is_it) {
    for (std::size_t i = 0; i < item.mistakes.size(); ++i) {
        const Mistake& mistake = item.mistakes[i];
        if (mistake.answer.kind != item.right.kind || are_same(item.right, mistake.answer)) continue;
        if (is_it(mistake.answer)) return Judgement{Verdict::wrong, mistake.reveals, i};
    }
    return std::nullopt;
}

Judgement judged_unreadable(const Item& item) {
    const Words form = form_of(item.right);
    return {Verdict::unreadable, {"wanted is " + form.en, "这里要填" + form.zh}, {}};
}

// ---- shapes

Judgement judge_shape(const Item& item, std::string_view written, const Sizes& sizes) {
    const std::optional<Shape> shape = read_shape(written, symbols_of(sizes));
    if (!shape) return judged_unreadable(item);
    const Shape& right = item.right.shape;
    if (*shape == right) return {Verdict::right, {}, {}};
    const auto mistake = judged_as_mistake(item, [&shape](const Answer& answer) { return answer.shape == *shape; });
    if (mistake) return *mistake;
    if (std::is_permutation(shape->begin(), shape->end(), right.begin(), right.end())) {
        return {Verdict::wrong, {"these are its axes, but in another order", "轴都对，但顺序不对"}, {}};
    }
    return {Verdict::wrong, {}, {}};
}

// ---- words

Judgement judge_word(const Item& item, std::string_view written) {
    const std::string word = read_word(written);
    if (word.empty()) return judged_unreadable(item);
    const auto is_it = [&word](const Answer& answer) { return is_named(answer, word); };
    if (is_it(item.right)) return {Verdict::right, {}, {}};
    return judged_as_mistake(item, is_it).value_or(Judgement{Verdict::wrong, {}, {}});
}

}  // namespace minimind
