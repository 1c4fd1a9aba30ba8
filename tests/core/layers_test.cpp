// Dependencies point one way: a folder of src includes only folders below it.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Lowest first; folders of one level do not know each other.
const std::map<std::string, int>& levels() {
    static const std::map<std::string, int> known = {
        {"core", 0},     {"trace", 1},   {"model", 2},  {"random", 3},  {"io", 3},      {"tokenizer", 3}, {"train", 3},
        {"generate", 4}, {"console", 5}, {"report", 6}, {"lessons", 7}, {"stepper", 8}, {"bench", 9},     {"cli", 11}};
    return known;
}

}  // namespace

TEST_CASE("no folder of src includes one above it or beside it") {
    static const std::regex include(R"(^\s*#include\s+"([a-z_]+)/)");
    int checked = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MINIMIND_SOURCE_DIR) / "src")) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".hpp") continue;
        const std::string folder = fs::relative(entry.path(), fs::path(MINIMIND_SOURCE_DIR) / "src").begin()->string();
        REQUIRE_MESSAGE(levels().count(folder) == 1, folder);
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            std::smatch match;
            if (!std::regex_search(line, match, include)) continue;
            const std::string other = match[1];
            if (other == folder) continue;
            REQUIRE_MESSAGE(levels().count(other) == 1, entry.path().string() << ": " << line);
            CHECK_MESSAGE(levels().at(other) < levels().at(folder), entry.path().string() << ": " << line);
            ++checked;
        }
    }
    CHECK(checked > 50);
}
