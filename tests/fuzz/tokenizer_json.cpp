#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "fuzz/tokenizer_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        minimind::testing::run_tokenizer_json({reinterpret_cast<const char*>(data), size});
    } catch (const minimind::Error&) {  // a bad input, and said so
    }
    return 0;
}
