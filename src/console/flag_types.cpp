// The kinds of flags that arguments.hpp offers: each is a reader and what the help says of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "console/arguments.hpp"
#include "console/cells.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

std::string read_choice(const std::string& text, const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
    Error error(fmt::format("unknown choice \"{}\"", visible(text)));
    error.note(fmt::format("known: {}", fmt::join(choices, ", ")));
    const std::string nearest = nearest_name(text, choices);
    if (!nearest.empty()) error.help(fmt::format("did you mean {}?", nearest));
    throw error;
}

}  // namespace

Flag::Flag(Kind kind, std::string name, std::string help, Reader read)
    : kind_(kind), name_(std::move(name)), help_(std::move(help)), read_(std::move(read)) {}

Flag& Flag::value_name(std::string name) {
    value_name_ = std::move(name);
    return *this;
}

Flag& Flag::shown_default(std::string text) {
    shown_default_ = std::move(text);
    return *this;
}

Flag& Flag::optional() {
    is_required_ = false;
    return *this;
}

Flag& Flag::alone_means(std::string value) {
    value_alone_ = std::move(value);
    return *this;
}

Flag& Flag::when_given(std::function<void()> action) {
    when_given_ = std::move(action);
    return *this;
}

void Flag::read(const std::string& text) const {
    read_(text);
    if (when_given_) when_given_();
}

Flag& Arguments::integer(const std::string& name, std::int64_t& value, const std::string& help, IntegerRange range) {
    const auto read = [&value, range](const std::string& text) { value = read_integer(text, range); };
    return add(Flag(Flag::Kind::value, name, help, read)).value_name("N").shown_default(fmt::format("{}", value));
}

Flag& Arguments::real(const std::string& name, double& value, const std::string& help, RealRange range) {
    const auto read = [&value, range](const std::string& text) { value = read_real(text, range); };
    return add(Flag(Flag::Kind::value, name, help, read)).value_name("X").shown_default(fmt::format("{:g}", value));
}

Flag& Arguments::text(const std::string& name, std::string& value, const std::string& help) {
    const auto read = [&value](const std::string& text) { value = text; };
    return add(Flag(Flag::Kind::value, name, help, read)).value_name("TEXT").shown_default(value);
}

Flag& Arguments::choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                        const std::string& help) {
    const auto read = [&value, choices](const std::string& text) { value = read_choice(text, choices); };
    return add(Flag(Flag::Kind::value, name, help, read))
        .value_name(fmt::format("{}", fmt::join(choices, "|")))
        .shown_default(value);
}

Flag& Arguments::zero_one(const std::string& name, bool& value, const std::string& help) {
    const auto read = [&value](const std::string& text) { value = read_zero_one(text); };
    return add(Flag(Flag::Kind::zero_one, name, help, read))
        .value_name("0|1")
        .alone_means("1")
        .shown_default(value ? "1" : "0");
}

Flag& Arguments::flag(const std::string& name, bool& value, const std::string& help) {
    return add(Flag(Flag::Kind::switched, name, help, [&value](const std::string&) { value = true; }));
}

Flag& Arguments::repeated(const std::string& name, std::vector<std::string>& values, const std::string& help) {
    const auto read = [&values](const std::string& text) { values.push_back(text); };
    return add(Flag(Flag::Kind::repeated, name, help, read)).value_name("TEXT");
}

Flag& Arguments::value(const std::string& name, Flag::Reader read, const std::string& help) {
    return add(Flag(Flag::Kind::value, name, help, std::move(read))).value_name("VALUE");
}

Flag& Arguments::positional(const std::string& name, std::string& value, const std::string& help) {
    Flag& flag = add(Flag(Flag::Kind::positional, name, help, [&value](const std::string& text) { value = text; }));
    flag.is_required_ = true;
    return flag;
}

}  // namespace minimind
