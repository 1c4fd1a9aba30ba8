#include "console/input_flags.hpp"

#include <fmt/format.h>

#include "console/memory.hpp"
#include "console/token_rows.hpp"
#include "core/error.hpp"
#include "model/loss.hpp"

namespace minimind {

namespace {

/// Sizes up to here can be multiplied without overflow; the memory estimate refuses what is too large long before.
constexpr IntegerRange size_range = {1, std::int64_t{1} << 31};

void check_shape(const std::string& flag, const std::string& value, const Batch& actual, const Batch& expected) {
    if (actual.batch == expected.batch && actual.seq == expected.seq) return;
    throw Error(fmt::format("{} has shape {}, the ids have {}", flag, list_text({actual.batch, actual.seq}),
                            list_text({expected.batch, expected.seq})))
        .at(flag_with_value(flag, value))
        .help("give one value for each token id");
}

}  // namespace

void InputFlags::add_batch(Arguments& args) {
    args.group("input");
    args.integer("--batch_size", batch_size, "rows", size_range).when_given([this] { is_batch_size_given_ = true; });
    args.integer("--seq_len", seq_len, "tokens of a row", size_range).when_given([this] { is_seq_len_given_ = true; });
    args.group("");
}

void InputFlags::add_ids(Arguments& args) {
    args.group("input");
    args.value(
            "--input_ids", [this](const std::string& text) { input_ids_ = text; },
            "token ids: 1,2,3 or rows 1,2,3;4,5,6 or a .json or .npy file (default: 0,1,2,...)")
        .value_name("IDS");
    args.group("");
}

void InputFlags::add_text(Arguments& args, bool or_interactive) {
    text_.add_text(args);
    text_.add_chat(args, or_interactive);
    text_.add_tokenizer(args);
}

void InputFlags::add_labels(Arguments& args) {
    args.group("input");
    args.value(
            "--labels", [this](const std::string& text) { labels_ = text; },
            "one label for each id, -100 where none counts; the loss is computed")
        .value_name("IDS");
    args.group("");
}

void InputFlags::add_attention_mask(Arguments& args) {
    args.group("input");
    args.value(
            "--attention_mask", [this](const std::string& text) { attention_mask_ = text; },
            "1 for each id that is seen, 0 for padding")
        .value_name("MASK");
    args.group("");
}

void InputFlags::add_past(Arguments& args) {
    args.group("input");
    args.integer("--past", past_, "ids of each row that go into the KV cache beforehand", at_least(0));
    args.group("");
}

void InputFlags::add_logits_to_keep(Arguments& args) {
    args.group("input");
    args.integer("--logits_to_keep", logits_to_keep_, "logits for the last N positions only; 0: for all", at_least(0));
    args.group("");
}

void InputFlags::read_text(const CheckpointPath& checkpoint) {
    text_.check();
    if (!text_.has_text() || text_ids_) return;
    const std::string flag = text_.text() ? "--text" : "--chat";
    if (input_ids_) {
        throw Error(fmt::format("--input_ids cannot be combined with {}", flag))
            .at(flag_with_value("--input_ids", *input_ids_))
            .help("leave out one of them");
    }
    tokenizer_ = text_.required_tokenizer(checkpoint, flag, "token ids work without a tokenizer: --input_ids 1,2,3");
    text_ids_ = text_.ids(*tokenizer_);
}

Batch InputFlags::batch() const {
    return text_ids_ || input_ids_ ? given_ids().batch : Batch{batch_size, seq_len};
}

TokenIds InputFlags::given_ids() const {
    return text_ids_ ? *text_ids_ : read_rows("--input_ids", *input_ids_);
}

std::string InputFlags::where() const {
    return text_ids_ ? text_.where() : flag_with_value("--input_ids", input_ids_.value_or(""));
}

TokenInput InputFlags::tokens(const ModelConfig& config) const {
    TokenInput input;
    input.ids = ids(config);
    const Batch& batch = input.ids.batch;
    if (labels_) input.labels = labels(config, batch);
    if (attention_mask_) input.attention_mask = attention_mask(batch);
    input.past = past_;
    if (past_ >= batch.seq) {
        throw Error(fmt::format("{} of {} ids in the cache leave none to compute", past_, batch.seq))
            .at(fmt::format("--past {}", past_))
            .help(batch.seq > 1 ? fmt::format("use 0 to {}", batch.seq - 1) : "use 0, or more ids");
    }
    input.logits_to_keep = logits_to_keep_;
    return input;
}

TokenIds InputFlags::ids(const ModelConfig& config) const {
    if (text_ids_ || input_ids_) {
        TokenIds result = given_ids();
        check_batch(result.batch);
        check_length(result.batch, config);
        check_values(result,
                     {"token id", config.vocab_size, 0,
                      fmt::format("vocab_size is {}: ids are 0 to {}", config.vocab_size, config.vocab_size - 1)},
                     where());
        return result;
    }
    TokenIds result;
    result.batch = {batch_size, seq_len};
    check_length(result.batch, config);
    Workload forward;
    forward.batch = result.batch;
    forward.maps_parameters = true;  // whether the parameters fit is the command's to check
    check_memory(config, forward);
    result.ids.resize(static_cast<std::size_t>(result.batch.tokens()));
    for (std::size_t i = 0; i < result.ids.size(); ++i) {
        result.ids[i] = static_cast<std::int64_t>(i) % config.vocab_size;
    }
    return result;
}

void InputFlags::check_length(const Batch& batch, const ModelConfig& config) const {
    if (batch.seq <= config.max_position_embeddings) return;
    Error error(fmt::format("a sequence of {} tokens is longer than the {} positions of the model", batch.seq,
                            config.max_position_embeddings));
    error.at(text_ids_ || input_ids_ ? where() : fmt::format("--seq_len {}", batch.seq));
    error.note("max_position_embeddings is the number of rows of the rotary tables");
    error.help(fmt::format("use --max_position_embeddings {}, or a sequence of at most {} tokens", batch.seq,
                           config.max_position_embeddings));
    throw error;
}

void InputFlags::check_batch(const Batch& batch) const {
    const auto check = [&](const char* flag, bool is_given, std::int64_t given, std::int64_t actual) {
        if (!is_given || given == actual) return;
        throw Error(fmt::format("{} says {}, the ids have {}", flag, given, actual))
            .at(fmt::format("{} {}", flag, given))
            .note(fmt::format("the ids have shape {}", list_text({batch.batch, batch.seq})))
            .help(fmt::format("leave out {}", flag));
    };
    check("--batch_size", is_batch_size_given_, batch_size, batch.batch);
    check("--seq_len", is_seq_len_given_, seq_len, batch.seq);
}

TokenIds InputFlags::labels(const ModelConfig& config, const Batch& batch) const {
    TokenIds result = read_rows("--labels", *labels_);
    check_shape("--labels", *labels_, result.batch, batch);
    check_values(result,
                 {"label", config.vocab_size, ignore_index,
                  fmt::format("vocab_size is {}: labels are 0 to {}, or -100 where none counts", config.vocab_size,
                              config.vocab_size - 1)},
                 flag_with_value("--labels", *labels_));
    return result;
}

AttentionMask InputFlags::attention_mask(const Batch& batch) const {
    const TokenIds rows = read_rows("--attention_mask", *attention_mask_);
    check_shape("--attention_mask", *attention_mask_, rows.batch, batch);
    check_values(rows, {"mask value", 2, 0, "1 is a token that is seen, 0 is padding"},
                 flag_with_value("--attention_mask", *attention_mask_));
    AttentionMask mask(static_cast<arma::uword>(batch.seq), static_cast<arma::uword>(batch.batch));
    for (std::size_t i = 0; i < rows.ids.size(); ++i) {
        mask(static_cast<arma::uword>(i)) = static_cast<float>(rows.ids[i]);
    }
    return mask;
}

}  // namespace minimind
