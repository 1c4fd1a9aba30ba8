#include "stepper/editing_reader.hpp"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cwchar>
#include <iostream>

#include "console/cells.hpp"
#include "stepper/command_history.hpp"
#include "stepper/session.hpp"

namespace minimind {

namespace {

/// The longest common beginning of some words; of at least one.
std::string common_beginning(const std::vector<std::string>& words) {
    std::string common = words.front();
    for (const std::string& word : words) {
        const auto [end, _] = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
        common.erase(end, common.end());
    }
    return common;
}

/// Words in columns, as a shell shows what Tab could mean.
std::string in_columns(const std::vector<std::string>& words, std::size_t width) {
    std::size_t widest = 0;
    for (const std::string& word : words) widest = std::max(widest, word.size() + 2);
    const std::size_t columns = std::max<std::size_t>(width / widest, 1);
    const std::size_t lines = (words.size() + columns - 1) / columns;
    std::string text;
    for (std::size_t line = 0; line < lines; ++line) {
        text += "\n";
        for (std::size_t i = line; i < words.size(); i += lines) text += pad_right(words[i], widest);
    }
    return text + "\n";
}

/// Bytes are read as UTF-8, whatever the environment says, so that Chinese can be typed and deleted.
void use_utf8() {
    const char* name = std::setlocale(LC_CTYPE, "");
    if (name == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

class EditingReader : public LineReader {
  public:
    EditingReader(const EditLibrary& edit, const Session& session)
        : edit_(edit), session_(session), history_(edit.history_init()) {
        use_utf8();
        editor_ = edit.el_init("minimind", stdin, stdout, stderr);
        HistEvent event;
        edit.history(history_, &event, H_SETSIZE, static_cast<int>(CommandHistory::most_lines));
        edit.history(history_, &event, H_SETUNIQUE, 1);
        for (const std::string& line : kept_.lines()) edit.history(history_, &event, H_ENTER, line.c_str());
        if (editor_ != nullptr) configure();
    }
    ~EditingReader() override {
        if (editor_ != nullptr) edit_.el_end(editor_);
        edit_.history_end(history_);
    }
    EditingReader(const EditingReader&) = delete;
    EditingReader& operator=(const EditingReader&) = delete;

    bool works() const { return editor_ != nullptr; }

    std::optional<std::string> read(const std::string& prompt) override {
        is_answer_ = false;
        const std::optional<std::string> line = read_line(prompt);
        if (line && line->find_first_not_of(' ') != std::string::npos && *line != "#") remember(*line);
        return line;
    }

    std::optional<std::string> read_answer(const std::string& prompt) override {
        is_answer_ = true;
        return read_line(prompt);
    }

  private:
    static EditingReader& self(EditLine* editor) {
        EditingReader* reader = nullptr;
        edit_library()->el_get(editor, EL_CLIENTDATA, &reader);
        return *reader;
    }

    static char* prompt_of(EditLine* editor) { return self(editor).prompt_.data(); }

    /// The next key, as libedit asks for it: 1 and the character, 0 at the end of the input, -1 if Ctrl-C came as a signal.
    static int read_key(EditLine* editor, wchar_t* key) {
        EditingReader& reader = self(editor);
        std::mbstate_t state = {};
        for (char byte = 0;;) {
            if (!wait_for_input(*reader.guard_, [&] { reader.follow_window(); })) return -1;
            const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return static_cast<int>(count);
            const std::size_t length = std::mbrtowc(key, &byte, 1, &state);
            if (length == static_cast<std::size_t>(-2)) continue;  // a character has several bytes
            if (length == static_cast<std::size_t>(-1)) *key = L'?';
            reader.follow_window();
            return 1;
        }
    }

    /// libedit writes past its buffers where a line has no room for the prompt.
    bool is_wide_enough() const { return terminal_width() >= std::max(least_width, display_width(prompt_) + 8); }

    /// Tells libedit of a new window size within a line. One that is too narrow it does not get to know.
    void follow_window() {
        const std::size_t width = terminal_width();
        if (width == width_ || !is_wide_enough()) return;
        width_ = width;
        edit_.el_resize(editor_);
        edit_.el_set(editor_, EL_REFRESH);
    }

    /// Keys come one by one from here on. Ctrl-C and Ctrl-Z are keys, too: a signal could find libedit in the middle of a
    /// change.
    void take_terminal() {
        edit_.el_set(editor_, EL_PREP_TERM, 1);
        termios modes = {};
        if (tcgetattr(STDIN_FILENO, &modes) != 0) return;
        modes.c_cc[VINTR] = _POSIX_VDISABLE;
        modes.c_cc[VSUSP] = _POSIX_VDISABLE;
        tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    }

    /// Ctrl-Z: the shell gets its own terminal back, and we ours when it lets us go on.
    static unsigned char suspend(EditLine* editor, int) {
        edit_library()->el_set(editor, EL_PREP_TERM, 0);
        std::raise(SIGTSTP);
        self(editor).take_terminal();
        return CC_REDISPLAY;
    }

    static unsigned char drop_line(EditLine* editor, int) {
        self(editor).is_dropped_ = true;
        std::cout << "^C\n" << std::flush;
        return CC_NEWLINE;
    }

    static unsigned char complete(EditLine* editor, int) { return self(editor).complete_word(); }

    void configure() {
        edit_.el_set(editor_, EL_CLIENTDATA, this);
        edit_.el_set(editor_, EL_PROMPT, &prompt_of);
        edit_.el_set(editor_, EL_EDITOR, "emacs");
        edit_.el_set(editor_, EL_GETCFN, &read_key);
        edit_.el_set(editor_, EL_HIST, edit_.history, history_);
        edit_.el_set(editor_, EL_ADDFN, "complete-word", "Complete the command or stage", &complete);
        edit_.el_set(editor_, EL_BIND, "^I", "complete-word", nullptr);
        edit_.el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        edit_.el_set(editor_, EL_ADDFN, "drop-line", "Drop the line", &drop_line);
        edit_.el_set(editor_, EL_BIND, "^C", "drop-line", nullptr);
        edit_.el_set(editor_, EL_ADDFN, "suspend", "Suspend the program", &suspend);
        edit_.el_set(editor_, EL_BIND, "^Z", "suspend", nullptr);
    }

    std::optional<std::string> read_line(const std::string& prompt) {
        prompt_ = prompt;
        is_dropped_ = false;
        std::cout << std::flush;
        if (!is_wide_enough()) return PlainTerminalReader(std::cout).read(prompt);
        const InterruptGuard guard;  // of a Ctrl-C that comes as a signal all the same
        guard_ = &guard;
        width_ = terminal_width();  // el_gets asks for it, too
        take_terminal();            // before the prompt: whoever sees it may press Ctrl-C
        int count = 0;
        const char* typed = edit_.el_gets(editor_, &count);
        if (guard.was_interrupted()) {
            std::cout << "\n" << std::flush;
            is_dropped_ = true;
        }
        if (is_dropped_) return "#";
        if (typed == nullptr || count <= 0) {
            std::cout << "\n" << std::flush;
            return std::nullopt;
        }
        std::string line(typed, static_cast<std::size_t>(count));
        while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
        return line;
    }

    void remember(const std::string& line) {
        HistEvent event;
        edit_.history(history_, &event, H_ENTER, line.c_str());
        kept_.add(line);
    }

    unsigned char complete_word() {
        if (is_answer_) return CC_ERROR;
        const LineInfo* line = edit_.el_line(editor_);
        const std::string before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
        const Completion completion = session_.complete(before);
        if (completion.words.empty()) return CC_ERROR;
        std::string added = common_beginning(completion.words).substr(before.size() - completion.begin);
        if (completion.words.size() == 1) added += " ";
        if (!added.empty()) {
            edit_.el_insertstr(editor_, added.c_str());
            return CC_REFRESH;
        }
        std::cout << in_columns(completion.words, terminal_width()) << std::flush;
        return CC_REDISPLAY;
    }

    const EditLibrary& edit_;
    const Session& session_;
    CommandHistory kept_ = CommandHistory::of_user();
    EditLine* editor_ = nullptr;
    History* history_ = nullptr;
    const InterruptGuard* guard_ = nullptr;  // while a line is read
    std::size_t width_ = 0;                  // that libedit knows of
    std::string prompt_;
    bool is_dropped_ = false;  // by Ctrl-C
    bool is_answer_ = false;
};

}  // namespace

std::unique_ptr<LineReader> editing_reader(const EditLibrary& edit, const Session& session) {
    auto reader = std::make_unique<EditingReader>(edit, session);
    if (!reader->works()) return nullptr;
    return reader;
}

}  // namespace minimind
