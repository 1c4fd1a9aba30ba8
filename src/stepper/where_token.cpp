#include "stepper/where_token.hpp"

#include <fmt/format.h>

#include "console/numbers.hpp"
#include "core/error.hpp"
#include "tokenizer/python_text.hpp"

namespace minimind {

namespace {

constexpr const char* digits = "0123456789";

/// Without the quotes around it, if there are some.
std::string unquoted(const std::string& text) {
    const bool is_quoted =
        text.size() >= 2 && text.front() == text.back() && (text.front() == '\'' || text.front() == '"');
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool is_token_position(const std::string& text) {
    return text.find_first_of(digits) != std::string::npos &&
           text.find_first_not_of("0123456789,- ") == std::string::npos;
}

TokenPosition read_token_position(const SessionState& session, const std::string& text) {
    const Batch& all = session.recording->input().ids.batch;
    const std::size_t comma = text.find(',');
    TokenPosition place;
    try {
        std::string position = comma == std::string::npos ? text : text.substr(comma + 1);
        while (position.starts_with(' ')) position.erase(0, 1);
        place.row = comma == std::string::npos ? 0 : read_integer(text.substr(0, comma));
        place.position = read_integer(position);
    } catch (Error& error) {
        throw error.at(text).help(session.words("a position is 3, or 1,3 in row 1", "位置写作 3；第 1 行的写作 1,3"));
    }
    if (place.position < 0 && place.position >= -all.seq) place.position += all.seq;
    if (place.row < 0 || place.row >= all.batch || place.position < 0 || place.position >= all.seq) {
        throw Error(
            fmt::format(fmt::runtime(session.words("there is no position {} in row {}", "没有位置 {}（第 {} 行）")),
                        place.position, place.row))
            .at(text)
            .help(fmt::format(fmt::runtime(session.words("positions are 0 to {}, rows 0 to {}: {} or 0,{}",
                                                         "位置 0 到 {}，行 0 到 {}：{} 或 0,{}")),
                              all.seq - 1, all.batch - 1, all.seq / 2, all.seq / 2));
    }
    return place;
}

TokenPosition last_position(const SessionState& session) {
    return {0, session.recording->input().ids.batch.seq - 1};
}

/// A position that this pass computes. Throws Error for a cached one.
std::int64_t fresh_position(const SessionState& session, const TokenPosition& place) {
    const std::int64_t past = session.recording->past();
    if (place.position >= past) return place.position - past;
    throw Error(fmt::format(fmt::runtime(
                                session.words("position {} comes from the cache: this pass does not compute its stream",
                                              "位置 {} 来自缓存：这次计算没有它的残差流")),
                            place.position))
        .at(std::to_string(place.position))
        .help(fmt::format(fmt::runtime(session.words("use {} to {}", "请用 {} 到 {}")), past,
                          past + session.recording->batch().seq - 1));
}

/// "row 0, position 3: 17 'cat'"
std::string position_text(const SessionState& session, const TokenPosition& place) {
    const std::int64_t id = session.recording->input().ids.at(place.row, place.position);
    return fmt::format(fmt::runtime(session.words("row {}, position {}: token {}", "第 {} 行，位置 {}：token {}")),
                       place.row, place.position, token_name(session, id));
}

std::string token_name(const SessionState& session, std::int64_t id) {
    const bool is_known = session.tokenizer && session.tokenizer->has(id);
    return is_known ? fmt::format("{} {}", id, short_repr(session.tokenizer->decode({id}), 16)) : std::to_string(id);
}

std::int64_t read_token(const SessionState& session, const std::string& text) {
    const std::int64_t vocab = session.config().vocab_size;
    const bool is_number =
        !text.empty() && text.find_first_not_of(digits, text.front() == '-' ? 1 : 0) == std::string::npos;
    if (is_number) {
        const std::int64_t id = read_integer(text);
        if (id >= 0 && id < vocab) return id;
        throw Error(
            fmt::format(fmt::runtime(session.words("token id {} is not in the vocabulary", "token id {} 不在词表里")),
                        id))
            .at(text)
            .help(
                fmt::format(fmt::runtime(session.words("use an id from 0 to {}", "id 应在 0 到 {} 之间")), vocab - 1));
    }
    if (!session.tokenizer) {
        throw Error(
            session.words("without a tokenizer a token is given by its id", "没有 tokenizer，只能用 id 指定 token"))
            .at(text)
            .help(
                fmt::format(fmt::runtime(session.words("use an id from 0 to {}", "id 应在 0 到 {} 之间")), vocab - 1));
    }
    const std::vector<std::int64_t> ids = session.tokenizer->encode(unquoted(text));
    if (ids.size() == 1 && ids[0] < vocab) return ids[0];
    Error error(fmt::format(fmt::runtime(session.words("{} is {} tokens, not one", "{} 是 {} 个 token，不是一个")),
                            short_repr(unquoted(text)), ids.size()));
    error.at(text);
    if (!ids.empty()) error.help(session.words("its first is ", "其中第一个是 ") + token_name(session, ids[0]));
    throw error;
}

}  // namespace minimind
