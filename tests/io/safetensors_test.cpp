#include <doctest/doctest.h>

#include <cstring>
#include <ctime>

#include "io/io_support.hpp"
#include "io/safetensors.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

std::string floats(std::initializer_list<float> values) {
    std::string bytes(values.size() * 4, '\0');
    std::memcpy(bytes.data(), values.begin(), bytes.size());
    return bytes;
}

SafetensorsHeader parsed_header(const std::string& bytes) {
    return parse_safetensors({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "some.safetensors");
}

/// The error that a header gives with 24 bytes of data.
std::string header_error(const std::string& header) {
    const Error error = error_of([&] { parsed_header(safetensors_bytes(header, std::string(24, 'd'))); });
    if (std::string(error.what()).empty()) return "";
    CHECK(contains(error.where(), "some.safetensors"));
    CHECK(error.exit_code() == 2);
    return full_text(error);
}

}  // namespace

TEST_CASE("a safetensors file by hand") {
    const TemporaryFolder folder;
    const std::string header =
        R"({"__metadata__":{"made":"by hand"},"b":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]},)"
        R"("a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}   )";
    write_bytes(folder / "x.safetensors",
                safetensors_bytes(header, little_endian(41, 8) + floats({1, 2, 3, 4, 5, -6.5f})));
    SafetensorsFile file(folder / "x.safetensors");
    CHECK(file.metadata() == Metadata{{"made", "by hand"}});
    REQUIRE(file.tensors().size() == 2);
    CHECK(file.tensors()[0].name == "a");  // in the order of the bytes
    CHECK(file.to_i64(file.at("a")) == std::vector<std::int64_t>{41});
    CHECK(file.at("b").shape == Shape{2, 3});
    CHECK(file.at("b").strides == Shape{3, 1});
    CHECK(file.at("b").offset == 8 + header.size() + 8);
    CHECK(file.to_f32(file.at("b")) == std::vector<float>{1, 2, 3, 4, 5, -6.5f});
    CHECK(file.find("c") == nullptr);
    CHECK(contains(full_text(error_of([&] { file.at("c"); })), "there is no tensor \"c\""));
    CHECK(contains(full_text(error_of([&] { file.to_i64(file.at("b")); })), "its type is F32"));
}

TEST_CASE("float32 is used in place where it is aligned") {
    const TemporaryFolder folder;
    const std::string entry = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    for (std::size_t spaces = 0; spaces < 4; ++spaces) {
        const std::string header = entry + std::string(spaces, ' ');
        write_bytes(folder / "x", safetensors_bytes(header, floats({7, 8})));
        SafetensorsFile file(folder / "x");
        const bool aligned = header.size() % 4 == 0;
        CHECK((file.f32_in_place(file.at("x")) != nullptr) == aligned);
        CHECK(file.to_f32(file.at("x")) == std::vector<float>{7, 8});
    }
}

TEST_CASE("what is wrong with a header is said") {
    const std::string good = R"("x":{"dtype":"F32","shape":[6],"data_offsets":[0,24]})";
    CHECK(header_error("{" + good + "}") == "");
    CHECK(contains(header_error("{"), "not valid JSON"));
    CHECK(contains(header_error("[1]"), "must be a JSON object"));
    CHECK(contains(header_error("{" + good + "," + good + "}"), "comes twice"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[6]}})"), "\"data_offsets\" is missing"));
    CHECK(contains(header_error(R"({"x":3})"), "an object was expected, not the number 3"));
    CHECK(
        contains(header_error(R"({"x":{"dtype":"F8","shape":[24],"data_offsets":[0,24]}})"), "\"F8\" cannot be read"));
    CHECK(contains(header_error(R"({"x":{"dtype":7,"shape":[6],"data_offsets":[0,24]}})"), "must be a string"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":6,"data_offsets":[0,24]}})"), "must be a list"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[-6],"data_offsets":[0,24]}})"), "-6"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[6.0],"data_offsets":[0,24]}})"), "6.0"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[5],"data_offsets":[0,24]}})"), "takes 20 bytes"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[6],"data_offsets":[24,0]}})"), "begin <= end"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[6],"data_offsets":[0]}})"), "begin <= end"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[7],"data_offsets":[0,28]}})"), "beyond the end"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}})"), "bytes after the last"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[5],"data_offsets":[4,24]}})"), "a gap before"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
                                R"("y":{"dtype":"F32","shape":[3],"data_offsets":[12,24]}})"),
                   "overlaps"));
    CHECK(contains(header_error(R"({"__metadata__":{"a":1},)" + good + "}"), "must be a string"));
    CHECK(contains(header_error(R"({"__metadata__":[],)" + good + "}"), "must be an object"));
}

TEST_CASE("sizes that overflow") {
    const std::string large = "4611686018427387904";  // 2^62: times 4 bytes it is 0 in 64 bits
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[)" + large + R"(],"data_offsets":[0,0]}})"),
                   "is too large"));
    CHECK(contains(header_error(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
                   "is too large"));
    CHECK(contains(header_error(R"({"x":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,24]}})"),
                   "2^63 - 1"));
    CHECK(contains(header_error(R"({"x":{"dtype":"U8","shape":[24],"data_offsets":[0,1e999]}})"), "out of range"));
    CHECK(
        contains(header_error(R"({"x":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,24],"data_offsets":[0,24]}})"), "9 axes"));
    // A tensor without elements is fine, whatever its other sizes.
    CHECK(header_error(R"({"e":{"dtype":"F32","shape":[4611686018427387904,0,8],"data_offsets":[0,0]},)"
                       R"("x":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}})") == "");
}

TEST_CASE("a length of the header that cannot be") {
    const auto message = [](const std::string& bytes) { return full_text(error_of([&] { parsed_header(bytes); })); };
    CHECK(contains(message("1234567"), "too short"));
    CHECK(contains(message(little_endian(100, 8) + "{}"), "cut off"));
    CHECK(contains(message(std::string(8, '\xff') + "{}"), "cut off"));
    CHECK(contains(message(little_endian(2, 8) + "PK"), "no safetensors file"));
}

TEST_CASE("deep nesting is refused while it is read") {
    CHECK(contains(header_error(R"({"x":)" + std::string(1'000'000, '[')), "nested more than"));
    CHECK(contains(header_error(R"({"x":)" + std::string(65, '[') + std::string(65, ']') + "}"), "nested more than"));
}

TEST_CASE("a web page or a Git LFS pointer is called that") {
    const TemporaryFolder folder;
    write_bytes(
        folder / "a.safetensors",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n");
    CHECK(contains(full_text(error_of([&] { open_tensor_file(folder / "a.safetensors"); })), "Git LFS pointer"));
    write_bytes(folder / "b.pth", "\xEF\xBB\xBF\r\n <!DOCTYPE HTML><html><body>Sign in</body></html>");
    CHECK(contains(full_text(error_of([&] { open_tensor_file(folder / "b.pth"); })), "web page"));
}

TEST_CASE("a file cut off anywhere is an error") {
    const std::string whole = file_text(golden("checkpoints/minimind_safetensors/model.safetensors"));
    parsed_header(whole);
    const std::size_t header = 8 + static_cast<unsigned char>(whole[0]) + 256 * static_cast<unsigned char>(whole[1]);
    for (std::size_t length = 1; length < whole.size(); length += length < header + 64 ? 1 : 997) {
        const Error error = error_of([&] { parsed_header(whole.substr(0, length)); });
        REQUIRE_MESSAGE(std::string(error.what()) != "", "cut to " << length << " bytes");
    }
}

TEST_CASE("every changed byte of a header is an error or another correct file") {
    const std::string whole = file_text(golden("functions/functions.safetensors"));
    int refused = 0;
    for (std::size_t position = 0; position < 600; ++position) {
        for (const char replacement : {'\0', '9', '"', '}', '\xff'}) {
            std::string changed = whole;
            changed[position] = replacement;
            try {
                for (const StoredTensor& tensor : parsed_header(changed).tensors) {
                    const std::uint64_t bytes = tensor.count() * stored_type_size(tensor.type);
                    REQUIRE(tensor.offset + bytes <= changed.size());
                }
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    CHECK(refused > 1000);
}

TEST_CASE("what the writer writes, the reader reads") {
    const TemporaryFolder folder;
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    const std::vector<std::int64_t> ids = {3, -1, 7};
    SafetensorsWriter writer(folder / "x.safetensors", {{"format", "pt"}, {"text", "\"quoted\" 中文"}});
    writer.add("odd", {1},
               std::vector<float>{0.5f});  // float32 before int64: the integers must be aligned all the same
    writer.add("dense", TensorView(values.data(), Shape{2, 3}));
    writer.add("transposed", TensorView(values.data(), {Axis{3, 1}, Axis{2, 3}}));
    writer.add("repeated", TensorView(values.data(), {Axis{4, 1, 2}, Axis{2, 2}}));
    writer.add("ids", TensorView(ids.data(), Shape{3}));
    writer.add("scalar", TensorView(values.data() + 1, Shape{}));
    writer.add("empty", Shape{0, 4}, std::vector<float>{});
    CHECK(contains(full_text(error_of([&] { writer.add("ids", {1}, std::vector<float>{1}); })), "ids"));
    CHECK(error_of([&] { writer.add("wrong", {2}, std::vector<float>{1}); }).exit_code() == 1);
    CHECK(!std::filesystem::exists(folder / "x.safetensors"));
    writer.finish();

    SafetensorsFile file(folder / "x.safetensors");
    CHECK(file.metadata().at("text") == "\"quoted\" 中文");
    CHECK(file.tensors().size() == 7);
    CHECK(file.to_f32(file.at("dense")) == values);
    CHECK(file.to_f32(file.at("transposed")) == std::vector<float>{1, 4, 2, 5, 3, 6});
    CHECK(file.to_f32(file.at("repeated")) == std::vector<float>{1, 3, 1, 3, 2, 4, 2, 4});
    CHECK(file.at("scalar").shape.empty());
    CHECK(file.to_f32(file.at("scalar")) == std::vector<float>{2});
    CHECK(file.to_i64(file.at("ids")) == ids);
    CHECK(file.at("ids").offset % 8 == 0);
    CHECK(file.f32_in_place(file.at("dense")) != nullptr);
}

TEST_CASE("a large header is refused, or read, within a second") {
    const std::clock_t start = std::clock();  // processor time: others may use the machine, too
    CHECK(contains(header_error(R"({"x":")" + std::string(17 << 20, 'a') + "\"}"), "are more than"));
    std::string many = "{";
    for (int i = 0; i < 20'000; ++i) {
        many += R"("t)" + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)";
    }
    CHECK(header_error(many + R"("x":{"dtype":"F32","shape":[6],"data_offsets":[0,24]}})") == "");
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    MESSAGE("took ", seconds, " s");
    CHECK(seconds < 5.0);  // far more than it takes, for slow machines and sanitizers
}
