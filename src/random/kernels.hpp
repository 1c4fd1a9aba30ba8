// The inner loops of the generator: plain C++ that the compiler turns into vector instructions. Compiled on their own
// (see CMakeLists.txt) at -O3, in a version for AVX2 with FMA and in one for every processor; both give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minimind::kernels {

/// The words of the Mersenne Twister's state.
inline constexpr std::size_t twister_words = 624;

/// Replaces the state by the next one: x[k] = x[k + 397] ^ A(upper bit of x[k], lower 31 bits of x[k + 1]), indices
/// modulo 624 (Matsumoto and Nishimura 1998).
void twist(std::uint32_t* state);

/// The draw that a word of the state gives: its bits mixed, so that they are independent in many dimensions.
[[gnu::always_inline]] inline std::uint32_t tempered(std::uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680U;
    word ^= (word << 15) & 0xefc60000U;
    return word ^ (word >> 18);
}

/// out[i] = the number in [0, 1) that word i of the state gives: its lower 24 bits, tempered, / 2^24.
void unit_floats(const std::uint32_t* words, float* out, std::size_t count);

/// Box and Muller (1958) on blocks of 16 uniform numbers in [0, 1), in place: for j < 8
///   r = sqrt(-2 ln(1 - x[j])),  a = 2 pi x[j + 8],  x[j] = r cos(a) * std + mean,  x[j + 8] = r sin(a) * std + mean.
/// All in float32, with the logarithm, sine and cosine of the Cephes library (Moshier 1992), rounded as PyTorch's AVX2
/// build rounds them.
void box_muller(float* x, std::size_t blocks, float mean, float std);

/// The versions for every processor, so that a test can compare them.
namespace plain {
void twist(std::uint32_t* state);
void unit_floats(const std::uint32_t* words, float* out, std::size_t count);
void box_muller(float* x, std::size_t blocks, float mean, float std);
}  // namespace plain

}  // namespace minimind::kernels
