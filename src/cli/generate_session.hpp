// What `minimind generate` does with a model and a prompt: generate, show the text while it comes, and say how fast.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "console/console_flags.hpp"
#include "console/model_loading.hpp"
#include "generate/generation.hpp"
#include "tokenizer/tokenizer.hpp"
#include "trace/recorder.hpp"

namespace minimind {

inline constexpr int exit_interrupted = 130;  // as shells report Ctrl-C

/// What is shown and written beside the text.
struct GenerateOutput {
    bool json = false;
    bool trace_sampling = false;
    std::filesystem::path dump;  // empty: none
};

/// A model, the tokenizer that goes with it, and one sampler, whose random numbers go on from prompt to prompt.
class GenerateSession {
  public:
    /// `tokenizer` may be null if the output is JSON.
    GenerateSession(const LoadedModel& loaded, std::shared_ptr<const Tokenizer> tokenizer, GenerationSettings settings,
                    const SamplingSettings& sampling, std::uint64_t seed, GenerateOutput output,
                    const ConsoleFlags& console);
    GenerateSession(const GenerateSession&) = delete;  // the hook is a part of this object
    GenerateSession& operator=(const GenerateSession&) = delete;

    /// Generates and prints: one row as it comes; several rows, and JSON, at the end. Ctrl-C ends it with what is there.
    /// Returns the text of each row.
    std::vector<std::string> run(const TokenIds& prompt);

    /// Was the last run ended by Ctrl-C?
    bool was_interrupted() const { return was_interrupted_; }
    const ModelConfig& config() const { return loaded_.model.config(); }
    const Tokenizer& tokenizer() const { return *tokenizer_; }

    /// Tokens per second of all runs, to stderr.
    void print_speed() const;

  private:
    void show_sampling(const GenerationStep& step);
    void dump(const GenerationStep& step);
    std::vector<std::string> texts_of(const Generation& result, std::int64_t prompt_length) const;
    void print_result(const Generation& result, const std::vector<std::string>& texts);

    const LoadedModel& loaded_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    GenerationSettings settings_;
    Sampler sampler_;
    GenerateOutput output_;
    const ConsoleFlags& console_;
    Recorder recorder_;
    std::string checksum_;  // of the weights, for dumps
    nlohmann::ordered_json steps_ = nlohmann::ordered_json::array();
    bool was_interrupted_ = false;

    // For the speed.
    std::int64_t prompt_tokens_ = 0;
    std::int64_t new_tokens_ = 0;
    double seconds_ = 0.0;
};

/// Talks with the model: each line of standard input is a turn of the user, and the whole conversation is the prompt of
/// the next answer. /clear forgets it, /exit or the end of the input ends. Ctrl-C ends an answer; at the prompt, the
/// program. Returns the exit code.
int chat_loop(GenerateSession& session, bool open_thinking, const ConsoleFlags& console);

}  // namespace minimind
