// PyTorch's random numbers on a CPU: Generator(42) gives what torch.manual_seed(42) gives.
//
// The engine is the 32-bit Mersenne Twister (Matsumoto and Nishimura 1998) with the standard initialiser. What PyTorch
// makes of its draws:
//   float32 in [0, 1)             lower 24 bits of a 32-bit draw / 2^24
//   float64 in [0, 1)             lower 53 bits of a 64-bit draw / 2^53; the first 32-bit draw is the high half
//   normal, 16 values or more     all values uniform in float32, then Box-Muller in blocks of 16 (see kernels.hpp)
//   normal, fewer values          Box-Muller in float64, a pair a time: r = sqrt(-2 log1p(-u2)), a = 2 pi u1; r cos(a),
//                                 then r sin(a), which is kept for the next request of fewer than 16 values
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "random/kernels.hpp"

namespace minimind {

class Generator {
  public:
    /// As torch.manual_seed(seed): only the seed's lower 32 bits count.
    explicit Generator(std::uint64_t seed);

    std::uint32_t draw32();
    std::uint64_t draw64();
    /// Uniform in [0, 1), from one 32-bit draw.
    float uniform_float();
    /// Uniform in [0, 1), from one 64-bit draw.
    double uniform_double();
    /// Exponential with mean 1, as Tensor.exponential_() gives it: -log1p(-u) for a uniform double u.
    float exponential_float();

    /// As tensor.uniform_(low, high) of `count` values.
    void fill_uniform(float* values, std::size_t count, float low, float high);
    /// As tensor.normal_(mean, std) of `count` values; torch.randn is normal_(0, 1).
    void fill_normal(float* values, std::size_t count, double mean, double std);

    /// What fill_uniform and fill_normal draw, without the values: nothing but the state changes.
    void skip_uniform(std::size_t count);
    void skip_normal(std::size_t count);

    /// As torch.multinomial(p, 1) of one row of n probabilities (they need not add up to 1): the first i with the largest
    /// p[i] / e[i], each e[i] exponential. At least one p[i] must be above 0.
    std::size_t multinomial(const float* p, std::size_t n);

  private:
    void fill_unit(float* values, std::size_t count);
    void fill_normal_pairs(float* values, std::size_t count, double mean, double std);

    std::array<std::uint32_t, kernels::twister_words> state_{};
    std::size_t position_ = kernels::twister_words;  // of the next word that nobody drew yet
    std::optional<double> kept_normal_;              // with mean 0 and standard deviation 1
};

}  // namespace minimind
