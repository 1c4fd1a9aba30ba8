#include <doctest/doctest.h>
#include <sys/stat.h>

#include <utility>

#include "io/io_support.hpp"
#include "io/mapped_file.hpp"
#include "io/output_file.hpp"

using namespace minimind;
using namespace minimind::test;

TEST_CASE("a mapped file is its bytes") {
    const TemporaryFolder folder;
    write_bytes(folder / "a", std::string_view("one\0two", 7));
    MappedFile file(folder / "a");
    CHECK(file.size() == 7);
    CHECK(file.text() == std::string_view("one\0two", 7));
    const std::byte* const first = file.bytes().data();
    MappedFile moved(std::move(file));
    CHECK(moved.bytes().data() == first);
    write_bytes(folder / "b", "other");
    moved = MappedFile(folder / "b");
    CHECK(moved.text() == "other");
}

TEST_CASE("what cannot be mapped is said") {
    const TemporaryFolder folder;
    const auto message = [&](const std::filesystem::path& path) {
        const Error error = error_of([&] { MappedFile file(path); });
        CHECK(error.where() == path.string());
        CHECK(error.exit_code() == 2);
        return std::string(error.what());
    };
    CHECK(message(folder / "missing") == "there is no such file");
    CHECK(message(folder.path()) == "a file was expected, but this is a directory");
    write_bytes(folder / "empty", "");
    CHECK(message(folder / "empty") == "the file is empty");
    ::mkfifo((folder / "pipe").c_str(), 0600);
    CHECK(message(folder / "pipe") == "this is not a plain file");
    CHECK(message("/dev/null") == "this is not a plain file");
}

TEST_CASE("an output file appears whole or not at all") {
    const TemporaryFolder folder;
    write_bytes(folder / "a", "old");
    {
        OutputFile file(folder / "a");
        file.write("half of it");
    }
    CHECK(file_text(folder / "a") == "old");
    {
        OutputFile part(folder / "part");
        part.write(std::string(3'000'000, 'x'));  // more than the buffer
        part.write("end");
        OutputFile file(folder / "a");
        file.write("new ");
        file.append(part);
        file.commit();
    }
    CHECK(file_text(folder / "a") == "new " + std::string(3'000'000, 'x') + "end");
    // Neither temporary file is left.
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a failed write has exit code 1") {
    const TemporaryFolder folder;
    const Error error = error_of([&] { write_file(folder / "no/such/folder", "text"); });
    CHECK(std::string(error.what()) == "the file cannot be written");
    CHECK(error.exit_code() == 1);
    std::filesystem::create_directory(folder / "taken");
    write_bytes(folder / "taken/inside", "x");
    CHECK(error_of([&] { write_file(folder / "taken", "text"); }).exit_code() == 1);
    CHECK(std::filesystem::is_directory(folder / "taken"));
}
