// Replays the inputs that the fuzzers start from, hostile ones among them: each is read or refused with an Error.
#include <doctest/doctest.h>

#include <algorithm>

#include "fuzz/io_targets.hpp"
#include "io/io_support.hpp"

using namespace minimind;
using namespace minimind::test;

namespace {

using Target = void (*)(std::span<const std::byte>);

struct Outcome {
    int read = 0;
    int refused = 0;
};

Outcome replay(const std::string& name, Target run) {
    Outcome outcome;
    const auto folder = std::filesystem::path(MINIMIND_SOURCE_DIR) / "tests/fuzz/corpus" / name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string bytes = file_text(entry.path());
        const std::string file = entry.path().filename().string();
        CAPTURE(file);
        const Error error = error_of([&] { run({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}); });
        const bool refused = !std::string(error.what()).empty();
        ++(refused ? outcome.refused : outcome.read);
        // The name of an input says what must become of it; one that a fuzzer found may be either.
        if (file.rfind("good_", 0) == 0) CHECK_MESSAGE(!refused, full_text(error));
        if (file.rfind("bad_", 0) == 0) CHECK(refused);
    }
    return outcome;
}

}  // namespace

TEST_CASE("the fuzzers' inputs") {
    const std::pair<const char*, Target> targets[] = {{"safetensors", run_safetensors},
                                                      {"pickle", run_pickle},
                                                      {"pth", run_pth},
                                                      {"config_json", run_config_json},
                                                      {"npy", run_npy}};
    for (const auto& [name, run] : targets) {
        const std::string target(name);
        CAPTURE(target);
        const Outcome outcome = replay(name, run);
        CHECK(outcome.read > 0);
        CHECK(outcome.refused > 0);
    }
}
