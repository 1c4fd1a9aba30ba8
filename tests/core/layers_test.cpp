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
    static const std::map<std::string, int> known = {{"core", 0},    {"trace", 1},     {"model", 2},   {"random", 3},
                                                     {"io", 3},      {"tokenizer", 3}, {"train", 3},   {"generate", 4},
                                                     {"console", 5}, {"report", 6},    {"lessons", 7}, {"stepper", 8},
                                                     {"bench", 9},   {"labs", 10},     {"cli", 11}};
    return known;
}

}  // namespace

TEST_CASE("no folder includes one above it or beside it") {
    static const std::regex include(R"(^\s*#include\s+"([a-z_]+)/)");
    const fs::path root = MINIMIND_SOURCE_DIR;
    int checked = 0;
    for (const fs::path& top : {root / "src", root / "labs"}) {
        for (const auto& entry : fs::recursive_directory_iterator(top)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".hpp") continue;
            const bool is_lab = top.filename() == "labs";
            const std::string folder = is_lab ? "labs" : fs::relative(entry.path(), top).begin()->string();
            REQUIRE_MESSAGE(levels().count(folder) == 1, folder);
            std::ifstream file(entry.path());
            for (std::string line; std::getline(file, line);) {
                std::smatch match;
                if (!std::regex_search(line, match, include)) continue;
                const std::string other = match[1];
                if (other == folder || (is_lab && fs::is_directory(top / other))) continue;
                REQUIRE_MESSAGE(levels().count(other) == 1, entry.path().string() << ": " << line);
                CHECK_MESSAGE(levels().at(other) < levels().at(folder), entry.path().string() << ": " << line);
                ++checked;
            }
        }
    }
    CHECK(checked > 50);
}
