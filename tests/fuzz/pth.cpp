#include "fuzz/io_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        minimind::test::run_pth({reinterpret_cast<const std::byte*>(data), size});
    } catch (const minimind::Error&) {  // a bad input, and said so
    }
    return 0;
}
