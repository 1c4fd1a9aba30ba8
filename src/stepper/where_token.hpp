// Tokens and their places, as the commands take and show them.
#pragma once

#include <cstdint>
#include <string>

#include "stepper/command.hpp"

namespace minimind {

/// A position of a row of the batch. Positions count from the start of the row, cached ones included.
struct TokenPosition {
    std::int64_t row = 0;
    std::int64_t position = 0;
};

/// Does it look like one: digits, a comma, a minus?
bool is_token_position(const std::string& text);

/// "3" (of row 0) or "1,3"; -1 is the last position. Throws Error for what is no number or is not there.
TokenPosition read_token_position(const SessionState& session, const std::string& text);

/// The last position of row 0.
TokenPosition last_position(const SessionState& session);

/// The place of a position among those that this pass computes. Throws Error for a cached one.
std::int64_t fresh_position(const SessionState& session, const TokenPosition& place);

/// "row 0, position 3: token 17 'cat'"
std::string position_text(const SessionState& session, const TokenPosition& place);

/// "17 'cat'": the text where a tokenizer is known and has the id.
std::string token_name(const SessionState& session, std::int64_t id);

/// An id, or a token's text where a tokenizer is known. Throws Error for what is neither.
std::int64_t read_token(const SessionState& session, const std::string& text);

}  // namespace minimind
