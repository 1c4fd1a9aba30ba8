#include "console/data_files.hpp"

#include <system_error>

#include "core/error.hpp"

namespace minimind {

namespace fs = std::filesystem;

std::vector<fs::path> data_directories() {
    std::vector<fs::path> directories;
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) directories.push_back((program.parent_path() / MINIMIND_DATA_FROM_PROGRAM).lexically_normal());
    directories.emplace_back(MINIMIND_SOURCE_TREE);
    return directories;
}

fs::path data_file(const fs::path& relative, const std::vector<fs::path>& directories) {
    Error error("a file that belongs to the program is missing");
    error.at(relative.string());
    for (const fs::path& directory : directories) {
        std::error_code failed;
        if (fs::exists(directory / relative, failed)) return directory / relative;
        error.note("looked for in " + directory.string());
    }
    throw error.help("install it with `cmake --install`, or run the program where it was built");
}

}  // namespace minimind
