#include "console/flag_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace minimind {

namespace {

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// The part of a word before "=".
std::string name_part(const std::string& word) {
    return word.substr(0, word.find('='));
}

/// "-5", "-.5", "-1,2" and "- a list" are no flags.
bool looks_like_flag(const std::string& word) {
    const std::string name = name_part(word);
    if (name.size() < 2 || name[0] != '-' || name == "--") return false;
    const bool is_number = (name[1] >= '0' && name[1] <= '9') || name[1] == '.';
    return !is_number && name.find(' ') == std::string::npos;
}

/// "--hidden-size" as "--hidden_size".
std::string with_underscores(std::string name) {
    std::replace(name.begin() + 2, name.end(), '-', '_');
    return name;
}

const Flag* exact_flag(const Arguments& arguments, const std::string& name) {
    const std::string wanted = with_underscores(name);
    for (const Flag& flag : arguments.flags()) {
        if (!flag.is_positional() && with_underscores(flag.name()) == wanted) return &flag;
    }
    return nullptr;
}

/// The flag that a word names in full or by a prefix that only one flag begins with.
const Flag& named_flag(const Arguments& arguments, const std::string& name, const std::string& where) {
    if (const Flag* flag = exact_flag(arguments, name)) return *flag;
    std::vector<std::string> candidates;
    const Flag* found = nullptr;
    for (const Flag& flag : arguments.flags()) {
        const bool matches = name.size() > 2 && starts_with(flag.name(), with_underscores(name));
        if (flag.is_positional() || !matches) continue;
        found = &flag;
        candidates.push_back(flag.name());
    }
    if (candidates.size() == 1) return *found;
    if (candidates.empty()) throw unknown_flag(arguments, name, where);
    throw Error(fmt::format("{} is ambiguous", name))
        .at(where)
        .note(fmt::format("it could be {}", fmt::join(candidates, ", ")));
}

/// Would the word be read as the name of one of the command's flags? Then it is not the value of the flag before it.
bool ends_value(const Arguments& arguments, const std::string& word) {
    return word == "--" || word == "-h" || (looks_like_flag(word) && exact_flag(arguments, name_part(word)) != nullptr);
}

[[noreturn]] void throw_missing_value(const Flag& flag, const std::string* next) {
    Error error(fmt::format("{} needs a value", flag.name()));
    error.at(next == nullptr ? flag.name() : fmt::format("{} {}", flag.name(), *next));
    error.help(fmt::format("write {} {}", flag.name(), flag.value_name()));
    if (next != nullptr && *next != "--") {
        error.help(fmt::format("write {}={} if that is the value", flag.name(), *next));
    }
    throw error;
}

void check_positionals(const Arguments& arguments, const std::vector<std::string>& words) {
    std::size_t filled = 0;
    for (const Flag& flag : arguments.flags()) {
        if (!flag.is_positional()) continue;
        if (filled == words.size() && flag.is_required()) {
            throw Error(fmt::format("{} is missing", flag.name()))
                .at("minimind " + arguments.command())
                .note(fmt::format("{}: {}", flag.name(), flag.help()));
        }
        filled = std::min(filled + 1, words.size());
    }
    if (filled == words.size()) return;
    const std::string& word = words[filled];
    Error error(fmt::format("unexpected word \"{}\"", word));
    error.at(word);
    const std::string as_flag = "--" + word;
    if (const Flag* flag = exact_flag(arguments, as_flag)) error.help(fmt::format("did you mean {}?", flag->name()));
    if (filled > 0) error.help("put quotes around a text of several words");
    throw error;
}

}  // namespace

std::vector<std::string> spelled_out(const Arguments& arguments, const std::vector<std::string>& words) {
    std::vector<std::string> result;
    std::vector<std::string> positionals;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            positionals.insert(positionals.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            break;
        }
        if (!looks_like_flag(word)) {
            positionals.push_back(word);
            continue;
        }
        const bool is_joined = word.find('=') != std::string::npos;
        const std::string* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
        const bool value_follows = !is_joined && next != nullptr && !ends_value(arguments, *next);
        const std::string where = value_follows && !looks_like_flag(*next) ? word + " " + *next : word;
        const Flag& flag = named_flag(arguments, name_part(word), where);
        result.push_back(flag.name());
        if (!flag.takes_value()) {
            if (is_joined) throw Error(fmt::format("{} takes no value", flag.name())).at(word);
        } else if (is_joined) {
            result.push_back(word.substr(word.find('=') + 1));
        } else if (value_follows) {
            result.push_back(words[++i]);
        } else if (flag.value_alone()) {
            result.push_back(*flag.value_alone());
        } else {
            throw_missing_value(flag, next);
        }
    }
    check_positionals(arguments, positionals);
    result.push_back("--");
    result.insert(result.end(), positionals.begin(), positionals.end());
    return result;
}

bool asks_for_help(const std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    return std::any_of(words.begin(), end, [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::string early_value(const std::vector<std::string>& words, std::string_view flag) {
    std::string value;
    const std::string joined = std::string(flag) + "=";
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (words[i] == flag && i + 1 < words.size()) value = words[i + 1];
        if (starts_with(words[i], joined)) value = words[i].substr(joined.size());
    }
    return value;
}

}  // namespace minimind
