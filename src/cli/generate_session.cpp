#include "cli/generate_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "console/errors.hpp"
#include "report/sampling_report.hpp"
#include "report/trace_dump.hpp"

namespace minimind {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_at_once(const std::string& text) {
    if (text.empty()) return;
    std::fwrite(text.data(), 1, text.size(), stdout);  // a text may hold a zero byte
    std::fflush(stdout);
}

std::string ending_name(Generation::Ending ending) {
    switch (ending) {
        case Generation::Ending::finished:
            return "eos";
        case Generation::Ending::max_new_tokens:
            return "max_new_tokens";
        case Generation::Ending::max_positions:
            return "max_position_embeddings";
        default:
            return "interrupted";
    }
}

nlohmann::ordered_json rows_json(const TokenIds& rows) {
    nlohmann::ordered_json result = nlohmann::ordered_json::array();
    for (std::int64_t b = 0; b < rows.batch.batch; ++b) result.push_back(rows.row(b));
    return result;
}

}  // namespace

GenerateSession::GenerateSession(const LoadedModel& loaded, std::shared_ptr<const Tokenizer> tokenizer,
                                 GenerationSettings settings, const SamplingSettings& sampling, std::uint64_t seed,
                                 GenerateOutput output, const ConsoleFlags& console)
    : loaded_(loaded),
      tokenizer_(std::move(tokenizer)),
      settings_(std::move(settings)),
      sampler_(sampling, seed),
      output_(std::move(output)),
      console_(console) {
    if (!output_.dump.empty()) settings_.hook = &recorder_;
}

std::vector<std::string> GenerateSession::run(const TokenIds& prompt) {
    const bool is_shown = !output_.json && !output_.trace_sampling && prompt.batch.batch == 1;
    std::optional<TokenStream> stream;
    if (tokenizer_) stream.emplace(*tokenizer_, true);
    const InterruptGuard guard;
    const StepObserver observer = [&](const GenerationStep& step) {
        if (output_.trace_sampling) show_sampling(step);
        if (!output_.dump.empty()) dump(step);
        if (is_shown && step.appended.front() != settings_.eos) print_at_once(stream->push(step.appended.front()));
        return !guard.was_interrupted();
    };
    const auto start = std::chrono::steady_clock::now();
    const Generation result = generate(loaded_.model, prompt, settings_, sampler_, observer);
    if (is_shown) print_at_once(stream->finish() + "\n");
    seconds_ += seconds_since(start);
    prompt_tokens_ += prompt.batch.tokens();
    new_tokens_ += result.new_tokens * prompt.batch.batch;
    was_interrupted_ = guard.was_interrupted();

    std::vector<std::string> texts = texts_of(result, prompt.batch.seq);
    if (!is_shown) print_result(result, texts);
    if (result.ending == Generation::Ending::max_positions) {
        print_note(fmt::format("it ends here: the model has max_position_embeddings = {} positions",
                               config().max_position_embeddings),
                   console_.color());
    }
    return texts;
}

/// The generated part of each row up to eos; nothing without a tokenizer.
std::vector<std::string> GenerateSession::texts_of(const Generation& result, std::int64_t prompt_length) const {
    std::vector<std::string> texts;
    if (!tokenizer_) return texts;
    for (std::int64_t b = 0; b < result.ids.batch.batch; ++b) {
        const std::vector<std::int64_t> ids = result.ids.positions(prompt_length, result.new_tokens).row(b);
        const auto end = settings_.eos ? std::find(ids.begin(), ids.end(), *settings_.eos) : ids.end();
        texts.push_back(tokenizer_->decode({ids.begin(), end}, true));
    }
    return texts;
}

void GenerateSession::show_sampling(const GenerationStep& step) {
    for (std::size_t b = 0; b < step.tokens.size(); ++b) {
        const SamplingReport report{step.tokens[b], sampler_.settings(),          tokenizer_.get(),
                                    step.index,     static_cast<std::int64_t>(b), step.appended[b]};
        if (output_.json) {
            steps_.push_back(report.json());
        } else {
            print_at_once(report.text() + "\n");
        }
    }
}

void GenerateSession::dump(const GenerationStep& step) {
    TracedPass pass{loaded_.model, step.input_ids, step.past, loaded_.description, {}, {}, {}};
    pass.records = recorder_.take_records();
    if (checksum_.empty()) checksum_ = weights_checksum(loaded_.model);
    pass.checksum = checksum_;
    write_dump(output_.dump, static_cast<int>(step.index), pass, false);
}

void GenerateSession::print_result(const Generation& result, const std::vector<std::string>& texts) {
    if (output_.json) {
        nlohmann::ordered_json json = {{"ids", rows_json(result.ids)}};
        json["text"] = tokenizer_ ? nlohmann::ordered_json(texts) : nlohmann::ordered_json();
        json["new_tokens"] = result.new_tokens;
        json["ending"] = ending_name(result.ending);
        if (output_.trace_sampling) json["steps"] = steps_;
        print_at_once(json.dump(output_.trace_sampling ? 1 : -1) + "\n");
        return;
    }
    for (std::size_t b = 0; b < texts.size(); ++b) {
        if (texts.size() > 1) print_at_once(fmt::format("[row {}]\n", b));
        print_at_once(texts[b] + "\n");
    }
}

void GenerateSession::print_speed() const {
    const double speed = seconds_ > 0.0 ? static_cast<double>(new_tokens_) / seconds_ : 0.0;
    const auto line = console_.language() == Language::zh
                          ? fmt::format("{} 个 token，用时 {:.3f} 秒：每秒 {:.1f} 个 token（prompt {} 个 token）\n",
                                        new_tokens_, seconds_, speed, prompt_tokens_)
                          : fmt::format("{} tokens in {:.3f} s: {:.1f} tokens per second (prompt: {} tokens)\n",
                                        new_tokens_, seconds_, speed, prompt_tokens_);
    std::fflush(stdout);
    std::fputs(line.c_str(), stderr);
}

}  // namespace minimind
