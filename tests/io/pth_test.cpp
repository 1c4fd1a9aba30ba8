#include <doctest/doctest.h>

#include <cstring>
#include <ctime>

#include "io/io_support.hpp"
#include "io/pth.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

/// Six floats 0 1 2 3 4 5.
std::string six_floats() {
    std::string bytes(24, '\0');
    for (int i = 0; i < 6; ++i) {
        const float value = static_cast<float>(i);
        std::memcpy(bytes.data() + 4 * i, &value, 4);
    }
    return bytes;
}

std::string file_error(const std::string& bytes) {
    const TemporaryFolder folder;
    write_bytes(folder / "x.pth", bytes);
    const Error error = error_of([&] {
        const auto file = open_tensor_file(folder / "x.pth");
        for (const StoredTensor& tensor : file->tensors()) file->to_f32(tensor);
    });
    if (std::string(error.what()).empty()) return "";
    CHECK(contains(error.where(), "x.pth"));
    CHECK(error.exit_code() == 2);
    return full_text(error);
}

std::string pickle_error(const std::string& pickle) {
    return file_error(pth_bytes(pickle, six_floats()));
}

std::string tensor_error(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                         std::int64_t offset) {
    return pickle_error(pickle_dict("w", pickle_tensor(shape, strides, offset, 6)));
}

}  // namespace

TEST_CASE("a .pth by hand: strides, offsets, shared storages") {
    const TemporaryFolder folder;
    const std::string program = "\x80\x02}(" + pickle_text("plain") + pickle_tensor({2, 3}, {3, 1}, 0, 6) +
                                pickle_text("transposed") + pickle_tensor({3, 2}, {1, 3}, 0, 6) + pickle_text("row") +
                                pickle_tensor({3}, {1}, 3, 6) + pickle_text("column") + pickle_tensor({2}, {3}, 2, 6) +
                                pickle_text("scalar") + pickle_tensor({}, {}, 5, 6) + pickle_text("empty") +
                                pickle_tensor({0, 9}, {1, 1}, 0, 6) + pickle_text("epoch") + "K\x07" + "u.";
    write_bytes(folder / "x.pth", pth_bytes(program, six_floats()));
    const auto file = open_tensor_file(folder / "x.pth");
    CHECK(file->tensors().size() == 6);  // the epoch is no tensor
    const auto values = [&](const char* name) { return file->to_f32(file->at(name)); };
    CHECK(values("plain") == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(values("transposed") == std::vector<float>{0, 3, 1, 4, 2, 5});
    CHECK(values("row") == std::vector<float>{3, 4, 5});
    CHECK(values("column") == std::vector<float>{2, 5});
    CHECK(values("scalar") == std::vector<float>{5});
    CHECK(values("empty").empty());
    CHECK(file->at("row").offset == 12);
    CHECK(file->at("row").storage == "archive/data/0");
    CHECK(!file->at("transposed").row_major());
    // One storage is read once, and used where it lies.
    CHECK(file->f32_in_place(file->at("row")) == file->f32_in_place(file->at("plain")) + 3);
    CHECK(file->f32_in_place(file->at("transposed")) == nullptr);
}

TEST_CASE("what model.state_dict() adds is understood: an OrderedDict with attributes") {
    const TemporaryFolder folder;
    const std::string program =
        "\x80\x02"
        "ccollections\nOrderedDict\nq\x01)R(" +
        pickle_text("w") + pickle_tensor({6}, {1}, 0, 6) + "u}" + pickle_text("_metadata") + "h\x01)Rsb.";
    write_bytes(folder / "x.pth", pth_bytes(program, six_floats()));
    CHECK(open_tensor_file(folder / "x.pth")->tensors().size() == 1);
    // Protocol 4 spells the same another way.
    std::string newer(std::string_view("\x80\x04\x95\0\0\0\0\0\0\0\0}\x94\x8c\x01w\x94", 17));
    newer += "\x8c\x0ctorch._utils\x8c\x12_rebuild_tensor_v2\x93((";
    newer += pickle_text("storage") + "\x8c\x05torch\x8c\x0c";
    newer += "FloatStorage\x93";
    newer += pickle_text("0") + pickle_text("cpu");
    newer += std::string_view("K\x06tQK\x00K\x06\x85K\x01\x85\x89}tRs.", 18);
    write_bytes(folder / "y.pth", pth_bytes(newer, six_floats()));
    CHECK(open_tensor_file(folder / "y.pth")->at("w").shape == Shape{6});
}

TEST_CASE("a pickle that names any other function is refused by name") {
    for (const char* const name : {"os\nsystem", "posix\nsystem", "builtins\neval", "torch\nload", "subprocess\nPopen",
                                   "torch._utils\n_rebuild_tensor", "numpy.core.multiarray\nscalar"}) {
        std::string dotted(name);
        dotted[dotted.find('\n')] = '.';
        const std::string global = std::string("c") + name + "\n";
        const std::string call = "\x80\x02" + global + "(" + pickle_text("touch /tmp/owned") + "tR.";
        CHECK(contains(pickle_error(call), "asks for " + dotted));
        CHECK(contains(pickle_error(pickle_dict("w", global)), "asks for " + dotted));
        CHECK(contains(pickle_error(call), "nothing of this one was run"));
    }
    const std::string on_stack = "\x80\x04\x8c\x02os\x8c\x06system\x93.";
    CHECK(contains(pickle_error(on_stack), "asks for os.system"));
    CHECK(contains(pickle_error("\x80\x02(ios\nsystem\n."), "opcode 0x69"));  // INST
    CHECK(contains(pickle_error("\x80\x02}}\x81."), "opcode 0x81"));          // NEWOBJ
    CHECK(contains(pickle_error("\x80\x02\x82\x01."), "opcode 0x82"));        // EXT1
    CHECK(contains(pickle_error("\x80\x02Pname\n."), "opcode 0x50"));         // PERSID
    CHECK(contains(pickle_error("\x80\x02"
                                "cos\nsystem\x1b[31m\n."),
                   "system\\x1b[31m"));  // not onto the terminal
}

TEST_CASE("programs that are wrong") {
    CHECK(contains(pickle_error(""), "ends in the middle"));
    CHECK(contains(pickle_error("\x80\x02"), "ends in the middle"));
    CHECK(contains(pickle_error("\x80\x09."), "version of pickle"));
    CHECK(contains(pickle_error("\x80\x02."), "does not end with one value"));
    CHECK(contains(pickle_error("\x80\x02}}."), "does not end with one value"));
    CHECK(contains(pickle_error("\x80\x02h\x05."), "value 5 is used before it was made"));
    CHECK(contains(pickle_error("\x80\x02q\x05."), "no value to remember"));
    CHECK(contains(pickle_error("\x80\x02t."), "a mark is missing"));
    CHECK(contains(pickle_error("\x80\x02(\x85."), "a value is missing"));
    CHECK(contains(pickle_error("\x80\x02}Ns."), "a value is missing"));
    CHECK(contains(pickle_error("\x80\x02}(Nu."), "no value"));
    CHECK(contains(pickle_error("\x80\x02]NNs."), "a dict was expected"));
    CHECK(contains(pickle_error("\x80\x02}Na."), "a list was expected"));
    CHECK(contains(pickle_error("\x80\x02)Q."), "description of a storage"));
    CHECK(contains(pickle_error("\x80\x02NNR."), "tuple of arguments"));
    CHECK(contains(pickle_error("\x80\x02N)R."), "a function was expected"));
    CHECK(contains(pickle_error("\x80\x02N}b."), "gets attributes"));
    CHECK(contains(pickle_error("\x80\x02"
                                "ctorch\nFloatStorage\n)R."),
                   "torch.FloatStorage is called"));
    CHECK(contains(pickle_error("\x80\x02"
                                "ctorch._utils\n_rebuild_tensor_v2\n)R."),
                   "description of a tensor"));
    CHECK(contains(pickle_error("\x80\x02\x8a\x09"
                                "123456789."),
                   "more than 64 bits"));
    CHECK(contains(pickle_error("\x80\x02X\xff\xff\xff\xff"
                                "abc."),
                   "ends in the middle"));
    CHECK(contains(pickle_error("\x80\x02\x8d" + std::string(8, '\xff') + "."), "ends in the middle"));
    CHECK(contains(pickle_error("\x80\x02K\x07."), "no state_dict"));
    CHECK(contains(pickle_error("\x80\x02}."), "no state_dict"));
}

TEST_CASE("loops, depth and numbers without end") {
    // A dict that holds itself, as its own "model" too: nothing follows it.
    CHECK(contains(pickle_error("\x80\x02}q\x01" + pickle_text("model") + "h\x01s."), "no state_dict"));
    CHECK(pickle_error("\x80\x02}q\x01(" + pickle_text("self") + "h\x01" + pickle_text("w") +
                       pickle_tensor({6}, {1}, 0, 6) + "u.") == "");
    const std::clock_t start = std::clock();  // processor time: others may use the machine, too
    // A tuple in a tuple in a tuple ...
    CHECK(contains(pickle_error("\x80\x02N" + std::string(1'500'000, '\x85') + "."), "no state_dict"));
    CHECK(contains(pickle_error("\x80\x02" + std::string(5'000'000, '}') + "."), "makes more than"));
    CHECK(contains(pickle_error("\x80\x02" + std::string(5'000'000, '(') + "."), "does not end with one value"));
    // Each tuple holds the one before it twice: 2^30 values if anybody unfolded it.
    std::string twice = "\x80\x02N";
    for (int i = 0; i < 30; ++i) twice += std::string("q") + static_cast<char>(i) + "h" + static_cast<char>(i) + "\x86";
    CHECK(contains(pickle_error(twice + "."), "no state_dict"));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    MESSAGE("took ", seconds, " s");
    CHECK(seconds < 10.0);  // four files; far more than they take, for slow machines and sanitizers
}

TEST_CASE("tensors that do not lie inside their storage") {
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    CHECK(tensor_error({6}, {1}, 0) == "");
    CHECK(contains(tensor_error({7}, {1}, 0), "beyond the end of its storage"));
    CHECK(contains(tensor_error({6}, {1}, 1), "beyond the end of its storage"));
    CHECK(contains(tensor_error({1}, {1}, huge), "beyond the end of its storage"));
    CHECK(contains(tensor_error({2}, {huge}, 0), "beyond the end of its storage"));
    CHECK(contains(tensor_error({3, 3}, {huge, huge}, 0), "beyond the end of its storage"));
    CHECK(contains(tensor_error({huge, huge}, {1, 1}, 0), "beyond the end of its storage"));
    CHECK(contains(tensor_error({huge}, {0}, 0), "a view that repeats elements"));
    CHECK(contains(tensor_error({huge, huge, huge, huge}, {0, 0, 0, 0}, 5), "a view that repeats elements"));
    CHECK(contains(tensor_error({6}, {1, 1}, 0), "cannot be understood"));
    CHECK(contains(tensor_error({-6}, {1}, 0), "cannot be understood"));
    CHECK(contains(tensor_error({6}, {-1}, 5), "cannot be understood"));
    CHECK(contains(tensor_error({6}, {1}, -1), "cannot be understood"));
    CHECK(contains(tensor_error({1, 1, 1, 1, 1, 1, 1, 1, 6}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0), "cannot be understood"));
    CHECK(tensor_error({huge, 0}, {huge, huge}, huge) == "");  // without elements it lies nowhere
    CHECK(contains(pickle_error(pickle_dict("w", pickle_tensor({6}, {1}, 0, 6, "1"))), "archive/data/1 is missing"));
    CHECK(contains(pickle_error(pickle_dict("w", pickle_tensor({6}, {1}, 0, 6, "../data.pkl"))), "is missing"));
}

TEST_CASE("zip files that are wrong") {
    const std::string pickle = pickle_dict("w", pickle_tensor({6}, {1}, 0, 6));
    CHECK(contains(file_error("PK\x03\x04 and no more"), "zip file cannot be read"));
    CHECK(contains(file_error(zip_bytes({{"a/readme.txt", "text"}})), "not written by torch.save"));
    CHECK(contains(file_error(zip_bytes({})), "not written by torch.save"));
    // Members that claim more than the file can hold: nothing is allocated for them.
    CHECK(contains(file_error(zip_bytes({{"a/data.pkl", pickle}, {"a/data/0", six_floats(), 0xfffffff0u}})),
                   "claims to hold more than it can"));
    CHECK(contains(file_error(zip_bytes({{"a/data.pkl", pickle}, {"a/data/0", six_floats(), 0xfffffff0u, 8}})),
                   "claims to hold more than it can"));
    CHECK(contains(file_error(zip_bytes({{"a/data.pkl", pickle, 0x40000000u, 8}, {"a/data/0", six_floats()}})),
                   "claims to hold more than it can"));
    CHECK(contains(file_error(zip_bytes({{"a/data.pkl", pickle}, {"a/data/0", six_floats(), 20}})), "beyond the end"));
    CHECK(contains(file_error(zip_bytes({{"a/data.pkl", pickle}, {"a/byteorder", "big"}, {"a/data/0", six_floats()}})),
                   "big-endian"));
    std::string damaged = pth_bytes(pickle, six_floats());
    damaged[damaged.find(six_floats()) + 3] ^= 1;
    CHECK(contains(file_error(damaged), "zip file cannot be read"));  // its checksum is another
}

TEST_CASE("a .pth cut off anywhere, or with a changed byte, is an error or another correct file") {
    const std::string whole = pth_bytes(pickle_dict("w", pickle_tensor({2, 3}, {3, 1}, 0, 6)), six_floats());
    CHECK(file_error(whole) == "");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        CHECK_MESSAGE(file_error(whole.substr(0, length)) != "", "cut to " << length << " bytes");
    }
    int refused = 0;
    for (std::size_t position = 0; position < whole.size(); ++position) {
        std::string changed = whole;
        changed[position] = static_cast<char>(changed[position] ^ 0x11);
        refused += file_error(changed).empty() ? 0 : 1;
    }
    CHECK(refused > static_cast<int>(whole.size()) / 4);
}

TEST_CASE("the format before PyTorch 1.6 is called that") {
    const Error error = error_of([] { open_tensor_file(golden("checkpoints/legacy_format.pth")); });
    CHECK(contains(full_text(error), "before PyTorch 1.6"));
    CHECK(contains(full_text(error), "torch.save(torch.load("));
}
