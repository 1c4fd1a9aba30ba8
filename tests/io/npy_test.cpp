#include <doctest/doctest.h>

#include <cstring>

#include "io/io_support.hpp"
#include "io/npy.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

std::string npy_bytes(const std::string& header, const std::string& data, int major = 1) {
    return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
           little_endian(header.size(), major == 1 ? 2 : 4) + header + data;
}

IntegerArray parsed_npy(const std::string& bytes) {
    return parse_npy_integers({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "ids.npy");
}

std::string npy_error(const std::string& bytes) {
    return full_text(error_of([&] { parsed_npy(bytes); }));
}

std::string header(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

}  // namespace

TEST_CASE("integer arrays") {
    const std::string numbers = little_endian(1, 4) + little_endian(2, 4) + little_endian(3, 4) + little_endian(4, 4) +
                                little_endian(5, 4) + little_endian(static_cast<std::uint64_t>(-6), 4);
    IntegerArray array = parsed_npy(npy_bytes(header("<i4", "(2, 3)"), numbers));
    CHECK(array.shape == Shape{2, 3});
    CHECK(array.values == std::vector<std::int64_t>{1, 2, 3, 4, 5, -6});
    // In Fortran order the bytes run down the columns: 1 2 / 3 4 / 5 -6 are the columns of the same shape.
    array = parsed_npy(npy_bytes(header("<i4", "(2, 3)", "True"), numbers));
    CHECK(array.values == std::vector<std::int64_t>{1, 3, 5, 2, 4, -6});
    array = parsed_npy(npy_bytes(header("<i8", "(3,)"), numbers, 2));
    CHECK(array.shape == Shape{3});
    CHECK(array.values[0] == (std::int64_t{2} << 32) + 1);
    CHECK(parsed_npy(npy_bytes(header("|b1", "(2,)"), std::string("\1\0", 2))).values ==
          std::vector<std::int64_t>{1, 0});
    CHECK(parsed_npy(npy_bytes(header("<i8", "(0,)"), "")).values.empty());
}

TEST_CASE("what is no integer array is said") {
    CHECK(contains(npy_error("text"), "no .npy file"));
    CHECK(contains(npy_error("\x93NUMPY"), "no .npy file"));
    CHECK(contains(npy_error(npy_bytes(header("<f4", "(1,)"), "abcd")), "type is '<f4'"));
    CHECK(contains(npy_error(npy_bytes(header(">i4", "(1,)"), "abcd")), "type is '>i4'"));
    CHECK(contains(npy_error(npy_bytes(header("<i4", "()"), "abcd")), "shape ()"));
    CHECK(contains(npy_error(npy_bytes(header("<i4", "(1, 1, 1)"), "abcd")), "shape (1, 1, 1)"));
    CHECK(contains(npy_error(npy_bytes(header("<i4", "(2,)"), "abcd")), "another length"));
    CHECK(contains(npy_error(npy_bytes(header("<i4", "(1,)"), "abcdefgh")), "another length"));
    CHECK(contains(npy_error(npy_bytes(header("<i8", "(4611686018427387904, 4)"), "")), "another length"));
    CHECK(contains(npy_error(npy_bytes(header("<i8", "(99999999999999999999,)"), "")), "cannot be understood"));
    CHECK(contains(npy_error(npy_bytes("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
                   "cannot be understood"));
    CHECK(contains(npy_error(npy_bytes("{'shape': (1,), 'fortran_order': False}", "abcd")), "cannot be understood"));
    CHECK(contains(npy_error(std::string("\x93NUMPY\x09\0", 8) + "xxxx"), "version 9"));
    CHECK(contains(npy_error("<html><body>not found"), "web page"));
    const std::string whole = npy_bytes(header("<i4", "(1,)"), "abcd");
    for (std::size_t length = 0; length < whole.size(); ++length) CHECK(npy_error(whole.substr(0, length)) != "\n--> ");
}

TEST_CASE("what is written is what NumPy writes") {
    const TemporaryFolder folder;
    const std::vector<std::int64_t> ids = {1, 2, 3, 4, 5, 6};
    write_npy(folder / "ids.npy", TensorView(ids.data(), Shape{2, 3}));
    const std::string bytes = file_text(folder / "ids.npy");
    // numpy.save(numpy.arange(1, 7).reshape(2, 3)) begins with these 128 bytes.
    std::string start(std::string_view("\x93NUMPY\x01\x00v\x00", 10));
    start += "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }";
    CHECK(bytes.substr(0, start.size()) == start);
    CHECK(bytes.size() == 128 + 48);
    CHECK(bytes[127] == '\n');
    CHECK(read_npy_integers(folder / "ids.npy").values == ids);

    const std::vector<float> values = {1, 2, 3, 4};
    write_npy(folder / "t.npy", TensorView(values.data(), {Axis{2, 1}, Axis{2, 2}}));  // transposed: 1 3 2 4
    float written[4];
    std::memcpy(written, file_text(folder / "t.npy").data() + 128, sizeof written);
    CHECK(std::vector<float>(written, written + 4) == std::vector<float>{1, 3, 2, 4});
    write_npy(folder / "s.npy", TensorView(values.data(), Shape{}));
    CHECK(contains(file_text(folder / "s.npy"), "'shape': ()"));
}
