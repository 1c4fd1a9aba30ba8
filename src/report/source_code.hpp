// Pieces of this program's own source, for lessons and the stepper: they show the code that runs, never a copy of it.
//
// The files are those of data_file("src/model/block.cpp"): installed beside the program, or in the source tree. They
// are as clang-format leaves them, and that is all that is known about C++ here: a declaration begins at the left edge
// (a member four spaces in) and ends with its line if that ends in ; or }, else at the next line that begins with } at
// the same place.
#pragma once

#include <string>
#include <vector>

namespace minimind {

struct SourceCode {
    std::string file;                // "src/model/rms_norm.cpp"
    int first_line = 1;              // the number of lines[0] in the file
    std::vector<std::string> lines;  // without newlines
};

/// The lines `first` to `last` of a file, counted from 1 and fewer where the file ends earlier. Throws Error for a file
/// that is not there, or a first line that is not in it.
SourceCode source_lines(const std::string& file, int first, int last);

/// A function with the comment above it, by its name: "rms_norm", "Block::forward", "forward". A definition goes before
/// a declaration, and of several the first counts. Also a struct, class or enum. Throws Error, with the nearest name,
/// if the file has none of that name.
SourceCode function_source(const std::string& file, const std::string& name);

/// The same in a text, as `file`.
SourceCode function_in(const std::string& text, const std::string& file, const std::string& name);

}  // namespace minimind
