// The command line of one command: which flags it has, how they are read, and its help.
//
//   std::int64_t layer = 0;
//   Arguments args("step", "Walk through one block, stage by stage.");
//   args.integer("--layer", layer, "the block to walk through", at_least(0));
//   args.example("minimind step --layer 1", "the second block");
//   if (!args.parse(words)) return 0;  // help was asked for and printed
//
// The rules, which are those of Python's argparse wherever its users would notice a difference:
//   --flag value and --flag=value; --flag_name is also --flag-name; a prefix will do if only one flag begins with it
//   a value may begin with a minus (--labels -100,5) and may be empty (--text "")
//   a value that is the name of another flag of the command must be joined with = (--text=--help)
//   a flag that comes twice: the last one counts, except for `repeated`
//   words without a flag fill the positionals; after -- every word is one
// Every mistake is an Error with exit code 2 that names the flag and the value.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "console/numbers.hpp"

namespace minimind {

/// A flag or a positional, and how it appears in the help.
class Flag {
  public:
    enum class Kind { value, zero_one, switched, repeated, positional };
    /// Takes a value as the user wrote it and stores it. Throws Error (without a place) if it cannot be.
    using Reader = std::function<void(const std::string& text)>;

    Flag(Kind kind, std::string name, std::string help, Reader read);

    /// What stands for the value in the help: "N" in "--layer N".
    Flag& value_name(std::string name);
    /// The default as the help shows it; "" shows none.
    Flag& shown_default(std::string text);
    /// A positional that need not be there.
    Flag& optional();
    /// The value of a flag that stands alone, before another flag or at the end: --tie_word_embeddings means 1.
    Flag& alone_means(std::string value);
    /// Called after a value was read.
    Flag& when_given(std::function<void()> action);

    Kind kind() const { return kind_; }
    const std::string& name() const { return name_; }
    const std::string& value_name() const { return value_name_; }
    const std::string& help() const { return help_; }
    const std::string& shown_default() const { return shown_default_; }
    const std::string& group() const { return group_; }
    const std::optional<std::string>& value_alone() const { return value_alone_; }
    bool is_required() const { return is_required_; }
    bool is_positional() const { return kind_ == Kind::positional; }
    bool takes_value() const { return kind_ != Kind::switched; }
    void read(const std::string& text) const;

  private:
    friend class Arguments;
    Kind kind_;
    std::string name_;
    std::string help_;
    Reader read_;
    std::function<void()> when_given_;
    std::string value_name_;
    std::string shown_default_;
    std::optional<std::string> value_alone_;
    std::string group_;
    bool is_required_ = false;
    bool is_given_ = false;
};

/// Variables are bound by reference: they hold the default when a flag is declared, and must outlive `parse`.
class Arguments {
  public:
    /// `command` is what follows `minimind` ("" for the program itself).
    Arguments(std::string command, std::string description);
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    Flag& integer(const std::string& name, std::int64_t& value, const std::string& help, IntegerRange range = {});
    Flag& real(const std::string& name, double& value, const std::string& help, RealRange range = {});
    Flag& text(const std::string& name, std::string& value, const std::string& help);
    /// One of the words in `choices`.
    Flag& choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                 const std::string& help);
    /// --flag 0 or --flag 1; alone it means 1.
    Flag& zero_one(const std::string& name, bool& value, const std::string& help);
    /// A switch without a value: there or not.
    Flag& flag(const std::string& name, bool& value, const std::string& help);
    /// One value each time it is given: --filter a --filter b.
    Flag& repeated(const std::string& name, std::vector<std::string>& values, const std::string& help);
    /// A flag with a reader of its own.
    Flag& value(const std::string& name, Flag::Reader read, const std::string& help);
    /// A word without a flag, required unless `.optional()`: positional("FILE", path, "the checkpoint").
    Flag& positional(const std::string& name, std::string& value, const std::string& help);

    /// The heading in the help of the flags declared after this.
    void group(std::string heading);
    /// Shown at the end of the help.
    void example(std::string command_line, std::string what_it_shows);

    /// Reads the words after the command's name. False: help was asked for and is printed; there is nothing to do.
    /// Throws Error for every mistake.
    [[nodiscard]] bool parse(const std::vector<std::string>& words);

    /// Was it on the command line? By its full name: given("--hidden_size"), given("FILE").
    bool given(const std::string& name) const;

    /// What --help prints, in lines of at most `width` cells.
    std::string help_text(std::size_t width) const;

    const std::string& command() const { return command_; }
    const std::deque<Flag>& flags() const { return flags_; }

  private:
    struct Example {
        std::string command_line;
        std::string what_it_shows;
    };

    Flag& add(Flag flag);

    std::string command_;
    std::string description_;
    std::string group_;
    bool wants_help_ = false;
    std::deque<Flag> flags_;  // a deque: references to its elements stay valid
    std::vector<Example> examples_;
};

/// The words after the first `skipped` of main's arguments.
std::vector<std::string> words_of(int argc, const char* const* argv, int skipped);

}  // namespace minimind
