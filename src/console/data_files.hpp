// Where the files are that the program reads at run time: the labs' data and the lessons. Installed they are in
// share/minimind, found from the program's own place, so that an installed tree can be moved; else they are in the source
// tree that the program was built from.
#pragma once

#include <filesystem>
#include <vector>

namespace minimind {

/// The directories that are looked into, in that order.
std::vector<std::filesystem::path> data_directories();

/// The first of `directories` that has the file (or directory) `relative`: data_file("labs/data/tokenizer.json"). Throws
/// Error, which lists the places, if none has it.
std::filesystem::path data_file(const std::filesystem::path& relative,
                                const std::vector<std::filesystem::path>& directories = data_directories());

}  // namespace minimind
