#include "lessons/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "console/called_as.hpp"
#include "console/cells.hpp"

namespace minimind {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<Verdict, 5> verdicts = {Verdict::right, Verdict::wrong, Verdict::wrong_unit, Verdict::unreadable,
                                             Verdict::blank};

Words verdict_words(Verdict verdict) {
    switch (verdict) {
        case Verdict::right:
            return {"right", "对"};
        case Verdict::wrong:
            return {"wrong", "错"};
        case Verdict::wrong_unit:
            return {"wrong unit", "单位不对"};
        case Verdict::unreadable:
            return {"unreadable", "读不懂"};
        case Verdict::blank:
            return {"blank", "未答"};
    }
    return {};
}

/// What counts for the sum: an item that was right before is right.
Verdict counted_verdict(const ItemResult& result) {
    return result.is_right() ? Verdict::right : result.judgement.verdict;
}

std::size_t count_of(const FilledWorksheet& sheet, Verdict verdict) {
    return static_cast<std::size_t>(
        std::count_if(sheet.results.begin(), sheet.results.end(),
                      [verdict](const ItemResult& result) { return counted_verdict(result) == verdict; }));
}

std::size_t longest_id(const std::vector<Item>& items) {
    std::size_t longest = 0;
    for (const Item& item : items) longest = std::max(longest, item.id.size());
    return longest;
}

/// What comes after this sitting. The first item that is not right gets a hint.
std::string next_command(const FilledWorksheet& sheet) {
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        if (!sheet.results[i].is_right()) return command_with(sheet, "--hint " + sheet.items[i].id);
    }
    if (sheet.round == Round::transfer) return "minimind lessons";
    return fmt::format("minimind lessons {} --check --transfer", sheet.lesson);
}

Words next_words(const FilledWorksheet& sheet) {
    if (!sheet.is_all_right()) return {"A hint for the next one", "下一题的提示"};
    if (sheet.round == Round::transfer) return {"What comes next", "接下来"};
    return {"Now the same at other sizes, where no two are equal", "换一组互不相同的尺寸再做一遍"};
}

}  // namespace

bool FilledWorksheet::is_all_right() const {
    return std::all_of(results.begin(), results.end(), [](const ItemResult& result) { return result.is_right(); });
}

std::string command_with(const FilledWorksheet& sheet, const std::string& flag) {
    const char* const transfer = sheet.round == Round::transfer ? " --transfer" : "";
    return fmt::format("minimind lessons {} {}{}{}", sheet.lesson, flag, transfer, sheet.flags);
}

std::string sizes_text(const Sizes& sizes) {
    const ModelConfig& c = sizes.config;
    std::string text = fmt::format("B {}  S {}  H {}  h {}  k {}  D {}  I {}  L {}  V {}", sizes.batch.batch,
                                   sizes.batch.seq, c.hidden_size, c.num_attention_heads, c.num_key_value_heads,
                                   c.head_dim, c.intermediate_size, c.num_hidden_layers, c.vocab_size);
    if (c.use_moe) text += fmt::format("  E {}  K {}", c.num_experts, c.num_experts_per_tok);
    return text;
}

std::string letters_text(const Sizes& sizes, Language language) {
    std::string letters =
        text(language,
             "B rows, S tokens a row, H hidden_size, h and k query and KV heads, D head_dim, I intermediate_size, L "
             "layers, V vocab_size",
             "B 行，每行 S 个 token；H 是 hidden_size，h 和 k 是 query 头数和 KV 头数，D 是 head_dim，I 是 "
             "intermediate_size，L 是层数，V 是 vocab_size");
    if (sizes.config.use_moe) {
        letters += text(language, ", E experts, of which a token uses K", "；E 是专家数，每个 token 用其中 K 个");
    }
    return letters;
}

std::string verdict_text(Verdict verdict, Language language, const Paint& paint) {
    const std::string name = verdict_words(verdict).in(language);
    if (verdict == Verdict::right) return paint.green(name);
    return verdict == Verdict::blank ? paint.dim(name) : paint.red(name);
}

std::string result_lines(const FilledWorksheet& sheet, Language language, const Paint& paint) {
    const std::size_t id_width = longest_id(sheet.items);
    std::size_t verdict_width = 0;
    for (const Verdict verdict : verdicts) {
        verdict_width = std::max(verdict_width, display_width(verdict_words(verdict).in(language)));
    }
    const std::size_t width = std::min<std::size_t>(terminal_width(), 100);
    std::string lines;
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        const ItemResult& result = sheet.results[i];
        std::string line = pad_right(verdict_text(counted_verdict(result), language, paint), verdict_width) + "  " +
                           pad_right(sheet.items[i].id, id_width) + "  " + truncated(visible(result.written), 40);
        if (result.was_right_before) line += text(language, "(before)", "（之前答对）");
        lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        if (result.judgement.message.empty()) continue;
        const std::string indent(verdict_width + 2, ' ');
        for (const std::string& part : wrap(as_called(result.judgement.message.in(language)), width - indent.size())) {
            lines += indent + part + "\n";
        }
    }
    return lines;
}

std::string result_summary(const FilledWorksheet& sheet, Language language) {
    std::string sum = fmt::format(fmt::runtime(text(language, "{} of {} right", "{} / {} 对")),
                                  count_of(sheet, Verdict::right), sheet.items.size());
    for (const Verdict verdict : verdicts) {
        const std::size_t count = count_of(sheet, verdict);
        if (verdict == Verdict::right || count == 0) continue;
        const Words words = verdict_words(verdict);
        sum += language == Language::zh ? fmt::format("，{} {}", count, words.zh)
                                        : fmt::format(", {} {}", count, words.en);
    }
    return sum + "\n" + next_words(sheet).in(language) + text(language, ": ", "：") +
           as_called("`" + next_command(sheet) + "`\n");
}

nlohmann::ordered_json result_json(const FilledWorksheet& sheet, Language language) {
    Json items = Json::array();
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        const Item& item = sheet.items[i];
        const ItemResult& result = sheet.results[i];
        const bool is_mastered = sheet.round == Round::transfer && result.is_right() && tells_apart(item);
        Json entry = {{"id", item.id},
                      {"question", item.question.in(language)},
                      {"written", visible(result.written)},
                      {"verdict", verdict_name(counted_verdict(result))},
                      {"mistake", result.judgement.mistake ? Json(*result.judgement.mistake) : Json(nullptr)},
                      {"message", result.judgement.message.in(language)},
                      {"mastered", is_mastered}};
        items.push_back(std::move(entry));
    }
    const ModelConfig& config = sheet.sizes.config;
    Json json = {{"lesson", sheet.lesson},
                 {"round", round_name(sheet.round)},
                 {"sizes",
                  {{"batch_size", sheet.sizes.batch.batch},
                   {"seq_len", sheet.sizes.batch.seq},
                   {"hidden_size", config.hidden_size},
                   {"num_hidden_layers", config.num_hidden_layers},
                   {"num_attention_heads", config.num_attention_heads},
                   {"num_key_value_heads", config.num_key_value_heads},
                   {"head_dim", config.head_dim},
                   {"intermediate_size", config.intermediate_size},
                   {"vocab_size", config.vocab_size}}},
                 {"items", std::move(items)},
                 {"total", sheet.items.size()}};
    for (const Verdict verdict : verdicts) json[verdict_name(verdict)] = count_of(sheet, verdict);
    json["next"] = next_command(sheet);
    return json;
}

std::vector<Attempt> attempts_of(const FilledWorksheet& sheet) {
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < sheet.items.size(); ++i) {
        const Verdict verdict = sheet.results[i].judgement.verdict;
        if (verdict == Verdict::blank || verdict == Verdict::unreadable) continue;
        attempts.push_back({sheet.lesson, sheet.items[i].id, sheet.round, verdict == Verdict::right,
                            tells_apart(sheet.items[i]), verdict_name(verdict)});
    }
    return attempts;
}

}  // namespace minimind
