// The progress file: what is kept, by whom, and what happens when it cannot be.
#include "lessons/progress.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/temporary_directory.hpp"
#include "support/text.hpp"

using namespace minimind;

namespace {

namespace fs = std::filesystem;

fs::path file_in(const TemporaryDirectory& directory) {
    return directory.path() / "state" / "minimind" / "progress.json";
}

Attempt attempt(const std::string& id, Round round, bool is_right, bool tells_apart = true) {
    return {9, id, round, is_right, tells_apart, is_right ? "right" : "wrong"};
}

Progress load(const ProgressStore& store) {
    std::vector<Words> notes;
    Progress progress = store.load(notes);
    CHECK(notes.empty());
    return progress;
}

void write_file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("what was right once stays right, and only the transfer round masters") {
    const TemporaryDirectory directory;
    const ProgressStore store(file_in(directory));
    CHECK(load(store).lessons.empty());
    CHECK(store.record({attempt("a", Round::first, true), attempt("b", Round::first, false)}).empty());
    CHECK(store.record({attempt("a", Round::first, false), attempt("a", Round::transfer, true)}).empty());
    CHECK(store.record({attempt("b", Round::transfer, true, false)}).empty());
    const Progress progress = load(store);
    CHECK(progress.of(9, "a", Round::first).right);
    CHECK(!progress.of(9, "a", Round::first).mastered);
    CHECK(progress.of(9, "a", Round::first).tries == 2);
    CHECK(progress.of(9, "a", Round::first).last == "wrong");
    CHECK(progress.of(9, "a", Round::transfer).mastered);
    CHECK(progress.of(9, "b", Round::transfer).right);
    CHECK(!progress.of(9, "b", Round::transfer).mastered);  // a mistake gives the same answer
    CHECK(!progress.of(8, "a", Round::first).right);
    CHECK(!progress.of(9, "c", Round::first).right);

    const Progress again = parse_progress(progress_json(progress), "progress.json");
    CHECK(progress_json(again) == progress_json(progress));
    CHECK(fs::exists(file_in(directory).string() + ".lock"));
    CHECK(std::distance(fs::directory_iterator(file_in(directory).parent_path()), fs::directory_iterator()) == 2);
}

TEST_CASE("several processes at once lose nothing") {
    constexpr int processes = 6;
    constexpr int each = 8;
    const TemporaryDirectory directory;
    const ProgressStore store(file_in(directory));
    for (int p = 0; p < processes; ++p) {
        if (fork() != 0) continue;
        bool is_fine = true;
        for (int i = 0; i < each; ++i) {
            is_fine = is_fine && store
                                     .record({attempt("own" + std::to_string(p * each + i), Round::first, true),
                                              attempt("shared", Round::first, i == 0)})
                                     .empty();
        }
        _exit(is_fine ? 0 : 1);
    }
    for (int p = 0; p < processes; ++p) {
        int status = 0;
        wait(&status);
        CHECK(status == 0);
    }
    const Progress progress = load(store);
    for (int i = 0; i < processes * each; ++i) CHECK(progress.of(9, "own" + std::to_string(i), Round::first).right);
    CHECK(progress.of(9, "shared", Round::first).right);
    CHECK(progress.of(9, "shared", Round::first).tries == processes * each);
}

TEST_CASE("a damaged file is kept aside with a note, and a new one begins") {
    for (const std::string damage :
         {"", "{", "[]", "{\"schema_version\": \"1\", \"lessons\": {}}", "{\"schema_version\": 1}",
          "{\"schema_version\": 1, \"lessons\": {\"x\": {}}}", "{\"schema_version\": 1, \"lessons\": {\"9\": 3}}",
          "{\"schema_version\": 1, \"lessons\": {\"9\": {\"a\": {\"first\": {\"right\": 1}}}}}", "\xff\xfe"}) {
        CAPTURE(damage);
        const TemporaryDirectory directory;
        const ProgressStore store(file_in(directory));
        write_file(file_in(directory), damage);
        std::vector<Words> notes;
        CHECK(store.load(notes).lessons.empty());
        CHECK(notes.size() == 1);
        CHECK(file_text(file_in(directory)) == damage);  // reading changes nothing

        notes = store.record({attempt("a", Round::first, true)});
        REQUIRE(notes.size() == 1);
        CHECK(notes.front().en.find("progress.json.corrupt") != std::string::npos);
        CHECK(!notes.front().zh.empty());
        CHECK(file_text(file_in(directory).string() + ".corrupt") == damage);
        CHECK(load(store).of(9, "a", Round::first).right);
    }
}

TEST_CASE("a file of a newer version is kept aside, and so is the next one") {
    const TemporaryDirectory directory;
    const ProgressStore store(file_in(directory));
    for (const std::string ending : {".newer", ".newer.1"}) {
        const std::string text = "{\"schema_version\": 2, \"other\": \"" + ending + "\"}";
        write_file(file_in(directory), text);
        CHECK(store.record({attempt("a", Round::first, true)}).size() == 1);
        CHECK(file_text(file_in(directory).string() + ending) == text);
        CHECK(load(store).of(9, "a", Round::first).right);
    }
}

TEST_CASE("a place that cannot be written is a note and no failure") {
    const TemporaryDirectory directory;
    fs::create_directories(file_in(directory));  // a directory of that name
    CHECK(ProgressStore(file_in(directory)).record({attempt("a", Round::first, true)}).size() == 1);
    std::vector<Words> notes;
    CHECK(ProgressStore(file_in(directory)).load(notes).lessons.empty());
    CHECK(notes.size() == 1);

    const TemporaryDirectory other;
    write_file(file_in(other).parent_path().parent_path(), "a file where a directory should be");
    CHECK(ProgressStore(file_in(other)).record({attempt("a", Round::first, true)}).size() == 1);
    CHECK(ProgressStore(std::nullopt).record({attempt("a", Round::first, true)}).size() == 1);
    CHECK(load(ProgressStore(std::nullopt)).lessons.empty());

    const TemporaryDirectory locked;
    fs::create_directories(file_in(locked).parent_path());
    fs::permissions(file_in(locked).parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
    if (geteuid() != 0) {  // root may write everywhere
        CHECK(ProgressStore(file_in(locked)).record({attempt("a", Round::first, true)}).size() == 1);
    }
    fs::permissions(file_in(locked).parent_path(), fs::perms::owner_all);
}

TEST_CASE("a lesson can be forgotten, or all") {
    const TemporaryDirectory directory;
    const ProgressStore store(file_in(directory));
    Attempt other = attempt("z", Round::first, true);
    other.lesson = 10;
    CHECK(store.record({attempt("a", Round::first, true), other}).empty());
    CHECK(store.forget(9).empty());
    CHECK(!load(store).of(9, "a", Round::first).right);
    CHECK(load(store).of(10, "z", Round::first).right);
    CHECK(store.forget(std::nullopt).empty());
    CHECK(load(store).lessons.empty());
}

TEST_CASE("where the file is") {
    const auto place = [](const char* state, const char* home) {
        const auto environment = [=](const char* name) -> const char* {
            return std::string(name) == "XDG_STATE_HOME" ? state : std::string(name) == "HOME" ? home : nullptr;
        };
        return ProgressStore::of_user(environment).path().value_or("nowhere").string();
    };
    CHECK(place("/state", "/home/a") == "/state/minimind/progress.json");
    CHECK(place(nullptr, "/home/a") == "/home/a/.local/state/minimind/progress.json");
    CHECK(place("", "/home/a") == "/home/a/.local/state/minimind/progress.json");
    CHECK(place("relative", "/home/a") == "/home/a/.local/state/minimind/progress.json");  // as XDG says
    CHECK(place(nullptr, nullptr) == "nowhere");
}
