#include "lessons/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "io/json_text.hpp"

namespace minimind {

namespace {

using nlohmann::json;

constexpr int schema_version = 1;
constexpr Round rounds[] = {Round::first, Round::transfer};

json round_json(const RoundProgress& round) {
    return {{"right", round.right}, {"mastered", round.mastered}, {"tries", round.tries}, {"last", round.last}};
}

RoundProgress parse_round(const json& value) {
    RoundProgress round;
    round.right = value.at("right").get<bool>();
    round.mastered = value.value("mastered", false);
    round.tries = std::max<std::int64_t>(0, value.value("tries", std::int64_t{0}));
    round.last = value.value("last", "");
    return round;
}

/// The entries of an object; nlohmann's own items() takes a number for an object, too.
const json::object_t& object(const json& value) {
    return value.get_ref<const json::object_t&>();
}

ItemProgress parse_item(const json& value) {
    ItemProgress item;
    for (const auto& [name, entry] : object(value)) {
        for (const Round round : rounds) {
            if (name == round_name(round)) item[round] = parse_round(entry);
        }
    }
    return item;
}

}  // namespace

std::string round_name(Round round) {
    return round == Round::first ? "first" : "transfer";
}

RoundProgress Progress::of(int lesson, const std::string& id, Round round) const {
    const auto items = lessons.find(lesson);
    if (items == lessons.end()) return {};
    const auto item = items->second.find(id);
    if (item == items->second.end()) return {};
    const auto found = item->second.find(round);
    return found == item->second.end() ? RoundProgress{} : found->second;
}

void add_attempt(Progress& progress, const Attempt& attempt) {
    RoundProgress& round = progress.lessons[attempt.lesson][attempt.id][attempt.round];
    round.right = round.right || attempt.is_right;
    round.mastered = round.mastered || (attempt.is_right && attempt.tells_apart && attempt.round == Round::transfer);
    round.tries += 1;
    round.last = attempt.verdict;
}

std::string progress_json(const Progress& progress) {
    json lessons = json::object();
    for (const auto& [lesson, items] : progress.lessons) {
        json& entry = lessons[std::to_string(lesson)] = json::object();
        for (const auto& [id, item] : items) {
            for (const auto& [round, value] : item) entry[id][round_name(round)] = round_json(value);
        }
    }
    return json{{"schema_version", schema_version}, {"lessons", lessons}}.dump(2) + "\n";
}

Progress parse_progress(const std::string& text, const std::string& where) {
    const json document = parse_json(text, where);
    Progress progress;
    try {
        const auto version = document.at("schema_version").get<std::int64_t>();
        if (version > schema_version) {
            throw NewerProgress(
                fmt::format("the file has schema_version {}; this program knows {}", version, schema_version));
        }
        for (const auto& [lesson, items] : object(document.at("lessons"))) {
            LessonProgress& entry = progress.lessons[std::stoi(lesson)];
            for (const auto& [id, item] : object(items)) entry[id] = parse_item(item);
        }
    } catch (const json::exception& error) {
        throw Error("the file does not hold a learner's progress").at(where).note(error.what());
    } catch (const std::logic_error& error) {  // stoi
        throw Error("a lesson's number is expected").at(where).note(error.what());
    }
    return progress;
}

}  // namespace minimind
