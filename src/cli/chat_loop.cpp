// The conversation of `minimind generate --chat` without a file.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/generate_session.hpp"
#include "console/errors.hpp"
#include "console/text_flags.hpp"
#include "core/error.hpp"

namespace minimind {

namespace {

/// The next line of standard input; false at its end. The prompt is for people only.
bool read_turn(bool is_terminal, std::string& line) {
    if (is_terminal) {
        fmt::print(">>> ");
        std::fflush(stdout);
    }
    if (std::getline(std::cin, line)) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        return true;
    }
    if (is_terminal) fmt::print("\n");
    return false;
}

/// The conversation so far as token ids, which fit into the model.
TokenIds prompt_of(const Chat& chat, const GenerateSession& session) {
    const std::string where = "the conversation";
    TokenIds ids = one_row(session.tokenizer().encode(session.tokenizer().render_chat(chat), where), where);
    const std::int64_t most = session.config().max_position_embeddings;
    if (ids.batch.seq < most) return ids;
    throw Error(fmt::format("the conversation has {} tokens and leaves no room for an answer", ids.batch.seq))
        .at(where)
        .note(fmt::format("the model has max_position_embeddings = {} positions", most))
        .help("/clear forgets the conversation, /exit ends it");
}

}  // namespace

int chat_loop(GenerateSession& session, bool open_thinking, const ConsoleFlags& console) {
    const bool is_terminal = isatty(STDIN_FILENO) == 1;
    const Paint paint(use_color(console.color(), Stream::err));
    Chat chat;
    chat.open_thinking = open_thinking;
    std::string line;
    while (read_turn(is_terminal, line) && line != "/exit") {
        if (line.empty()) continue;
        if (line == "/clear") {
            chat.messages.clear();
            continue;
        }
        chat.messages.push_back({{"role", "user"}, {"content", line}});
        try {
            const std::vector<std::string> answer = session.run(prompt_of(chat, session));
            chat.messages.push_back({{"role", "assistant"}, {"content", answer.front()}});
        } catch (const Error& error) {
            if (!is_terminal) throw;
            std::fputs(error_text(error, paint).c_str(), stderr);
            chat.messages.erase(chat.messages.size() - 1);  // as if it had not been said
        }
        if (session.was_interrupted() && !is_terminal) break;  // a script that is stopped stops
    }
    session.print_speed();
    return session.was_interrupted() && !is_terminal ? exit_interrupted : 0;
}

}  // namespace minimind
