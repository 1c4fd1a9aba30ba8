// The stepper's commands: how one is written, and the session that it acts on. A file with commands gives a list of them,
// and session.cpp puts the lists together:
//
//   std::vector<StepCommand> analysis_commands();       // analysis_commands.cpp
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console/language.hpp"
#include "console/terminal.hpp"
#include "stepper/recording.hpp"
#include "tokenizer/tokenizer.hpp"

namespace minimind {

struct PredictState;  // the questions asked and the score; predict.hpp
struct WalkState;     // breakpoints, the last command, what was recorded; walk.hpp

/// Where a session stands.
struct SessionState {
    const CausalLm& model;
    std::shared_ptr<const Recording> recording;  // with the edits; never null
    std::shared_ptr<const Recording> original;   // the same without edits: the same object as long as there are none
    std::size_t at = 0;                          // the current stage: recording->stages()[at]
    int layer = 0;                               // the current layer, whose stages a short name means first
    std::string weights = {};                    // "seed 42" or the checkpoint's path

    std::vector<std::vector<std::string>> token_text = {};  // [B][P + S], what stands at each position; may be empty
    std::shared_ptr<const Tokenizer> tokenizer = {};  // that belongs to the model, for the text of any id; may be null

    Language language = Language::en;
    Paint paint = Paint(false);
    std::size_t width = 80;         // cells of a line of output
    bool follows_terminal = false;  // the width is asked for again before each command: a window can be resized
    bool is_batch = false;          // nothing is asked, the first failed command ends the session
    bool predict_mode = false;      // `predict`: ask before a stage is shown
    bool is_over = false;           // `quit`

    /// Reads a line that answers a question, from where commands come from. Nothing at the end of the input and in batch
    /// mode; a command that asks must then go on without.
    std::function<std::optional<std::string>(const std::string& prompt)> ask = {};

    std::shared_ptr<PredictState> predict = {};
    std::shared_ptr<WalkState> walk = {};
    int passes = 0;  // how many forward passes were run for this session, all that was recorded again included

    const Stage& stage() const { return recording->stage(at); }
    const ModelConfig& config() const { return model.config(); }
    std::string words(std::string_view en, std::string_view zh) const { return text(language, en, zh); }
};

struct StepCommand {
    std::string name;                  // "print"
    std::vector<std::string> aliases;  // {"p"}: short forms that count even where another command begins with them
    std::string usage;                 // "print STAGE[slice]", the same in every language
    Words summary;                     // one line for the list of `help`
    Words help;                        // what `help NAME` says beside it; may be empty
    /// `arguments` is what follows the name, without spaces at its ends. Prints to `out`. Throws Error if it fails; the
    /// session then goes on (except in batch mode).
    std::function<void(SessionState& session, const std::string& arguments, std::ostream& out)> run;
    bool is_navigation = false;  // an empty line repeats it
    bool takes_stages = false;   // Tab completes the names of stages
};

// ---- the session's services for commands ----

/// The stage that a name means: in full, by alias, or by a dotted suffix; the current layer first. Throws Error with the
/// nearest name, or with the candidates where several are meant.
Site site_named(const SessionState& session, const std::string& name);

/// A stage with a slice, as commands take it: "scores[0,1,:,-1:]", "resid_mid"; "" is the current stage.
struct StageArgument {
    Site site;
    Slice slice;
    std::string text;  // as typed, for errors
};
/// Throws Error as site_named and parse_slice do. Spaces between the name and the slice and in the slice do no harm.
StageArgument stage_argument(const SessionState& session, const std::string& argument);

/// The first word and what follows it: "scores[0, 1] 2" -> {"scores[0, 1]", "2"}. Spaces within [] do not separate.
std::pair<std::string, std::string> first_argument(const std::string& arguments);

/// The values of a stage of the session's recording. If its layer is not kept, that layer is recorded (and kept in place
/// of the one before), with a line that says so.
TensorView values_of(SessionState& session, Site site, std::ostream& out);

/// Runs again with these edits and puts the result in the session, which stays at its stage. Without edits it goes back
/// to `original`.
void rerun(SessionState& session, std::vector<StageEdit> edits);

/// Puts the session at a stage, and shows it as a move does (with the question of `predict` before it).
void show_stage(SessionState& session, Site site, std::ostream& out);

// ---- the lists of commands ----

std::vector<StepCommand> walk_commands();     // step, back, next, finish, goto, until, break, continue, layer
std::vector<StepCommand> look_commands();     // list, info, print, stats, heat, curve
std::vector<StepCommand> reading_commands();  // params, source, explain
std::vector<StepCommand>
analysis_commands();  // why, predict, touch, ledger, lens, ablate, scale, set, undo, diff, where

/// Called before a stage is shown after a move, in predict mode only; analysis_commands.cpp. It may ask.
void before_shown(SessionState& session, Site site, std::ostream& out);

}  // namespace minimind
