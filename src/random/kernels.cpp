#include "random/kernels.hpp"

// Each loop is compiled twice: for AVX2 with FMA, and for every processor. A helper must be inlined into both, hence
// always_inline, and __builtin_fmaf where one would write std::fma. (target_clones would choose by itself, but with
// GCC's arch=haswell only on a Haswell, and its avx2 has no FMA.)
#if defined(__x86_64__)
#define MINIMIND_AVX2 [[gnu::target("avx2,fma")]]
#else
#define MINIMIND_AVX2
#endif
#define MINIMIND_INLINE [[gnu::always_inline]] inline

namespace minimind::kernels {

namespace {

constexpr std::size_t shift = 397;

MINIMIND_INLINE std::uint32_t next_word(std::uint32_t word, std::uint32_t following, std::uint32_t far) {
    const std::uint32_t mixed = (word & 0x80000000U) | (following & 0x7fffffffU);
    return far ^ (mixed >> 1) ^ ((following & 1U) * 0x9908b0dfU);
}

/// a * b + c, rounded once. Where the rounding happens decides the last bit, so it is written out; the compiler may
/// not join other products and sums (-ffp-contract=off).
MINIMIND_INLINE float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

/// ln x for x from 2^-24 to 1: x = m * 2^e with m from sqrt(1/2) to sqrt(2), ln x = ln m + e ln 2, and a polynomial for
/// ln(1 + t) = t - t^2 / 2 + t^3 P(t). ln 2 is added in two parts: 0.693359375 and -2.12194440e-4.
MINIMIND_INLINE float logarithm(float x) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
    const float half_to_one = __builtin_bit_cast(float, (bits & 0x007fffffU) | 0x3f000000U);
    const float exponent = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 126);

    const bool low = half_to_one < 0.707106781186547524F;
    const float e = low ? exponent - 1.0F : exponent;
    const float t = (half_to_one - 1.0F) + (low ? half_to_one : 0.0F);
    const float square = t * t;

    float p = 7.0376836292e-2F;
    p = fused(p, t, -1.1514610310e-1F);
    p = fused(p, t, 1.1676998740e-1F);
    p = fused(p, t, -1.2420140846e-1F);
    p = fused(p, t, 1.4249322787e-1F);
    p = fused(p, t, -1.6668057665e-1F);
    p = fused(p, t, 2.0000714765e-1F);
    p = fused(p, t, -2.4999993993e-1F);
    p = fused(p, t, 3.3333331174e-1F);
    const float small = fused(p * t, square, e * -2.12194440e-4F) - square * 0.5F;
    return fused(e, 0.693359375F, t + small);
}

struct SineCosine {
    float sine;
    float cosine;
};

/// Sine and cosine of an angle a from 0 to 2 pi. With an even j near a / (pi / 4), x = a - j pi/4 is at most pi/4 to
/// either side, and polynomials give sin x and cos x; j says which of them is which, and its sign. pi/4 is subtracted
/// in three parts, so that nothing is lost.
MINIMIND_INLINE SineCosine sine_cosine(float a) {
    const std::int32_t j = (static_cast<std::int32_t>(a * 1.27323954473516F) + 1) & ~1;  // 4 / pi
    const float j_float = static_cast<float>(j);
    float x = fused(j_float, -0.78515625F, a);
    x = fused(j_float, -2.4187564849853515625e-4F, x);
    x = fused(j_float, -3.77489497744594108e-8F, x);
    const float square = x * x;

    float c = 2.443315711809948e-5F;
    c = fused(c, square, -1.388731625493765e-3F);
    c = fused(c, square, 4.166664568298827e-2F);
    const float cos_x = fused(c * square, square, -0.5F * square) + 1.0F;

    float s = -1.9515295891e-4F;
    s = fused(s, square, 8.3321608736e-3F);
    s = fused(s, square, -1.6666654611e-1F);
    const float sin_x = fused(s * square, x, x);

    // Quarter turns: j = 0: sin a = sin x, 2: cos x, 4: -sin x, 6: -cos x; the cosine is a quarter turn ahead.
    const bool swapped = (j & 2) != 0;
    const std::uint32_t sine_sign = (static_cast<std::uint32_t>(j) & 4U) << 29;
    const std::uint32_t cosine_sign = (static_cast<std::uint32_t>(j + 2) & 4U) << 29;
    const std::uint32_t sine_bits = __builtin_bit_cast(std::uint32_t, swapped ? cos_x : sin_x) ^ sine_sign;
    const std::uint32_t cosine_bits = __builtin_bit_cast(std::uint32_t, swapped ? sin_x : cos_x) ^ cosine_sign;
    return {__builtin_bit_cast(float, sine_bits), __builtin_bit_cast(float, cosine_bits)};
}

MINIMIND_INLINE void twist_loop(std::uint32_t* state) {
    for (std::size_t k = 0; k < twister_words - shift; ++k) {
        state[k] = next_word(state[k], state[k + 1], state[k + shift]);
    }
    for (std::size_t k = twister_words - shift; k < twister_words - 1; ++k) {
        state[k] = next_word(state[k], state[k + 1], state[k + shift - twister_words]);
    }
    state[twister_words - 1] = next_word(state[twister_words - 1], state[0], state[shift - 1]);
}

MINIMIND_INLINE void unit_floats_loop(const std::uint32_t* words, float* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t lower24 = static_cast<std::int32_t>(tempered(words[i]) & 0xffffffU);
        out[i] = static_cast<float>(lower24) * 0x1p-24F;
    }
}

MINIMIND_INLINE void box_muller_loop(float* x, std::size_t blocks, float mean, float std) {
    for (std::size_t block = 0; block < blocks; ++block) {
        float* first = x + 16 * block;
        float* second = first + 8;
        for (std::size_t j = 0; j < 8; ++j) {
            const float radius = __builtin_sqrtf(-2.0F * logarithm(1.0F - first[j]));
            const SineCosine angle = sine_cosine(6.28318530717958648F * second[j]);
            first[j] = fused(radius * angle.cosine, std, mean);
            second[j] = fused(radius * angle.sine, std, mean);
        }
    }
}

bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}

MINIMIND_AVX2 void twist_avx2(std::uint32_t* state) {
    twist_loop(state);
}

MINIMIND_AVX2 void unit_floats_avx2(const std::uint32_t* words, float* out, std::size_t count) {
    unit_floats_loop(words, out, count);
}

MINIMIND_AVX2 void box_muller_avx2(float* x, std::size_t blocks, float mean, float std) {
    box_muller_loop(x, blocks, mean, std);
}

}  // namespace

namespace plain {

void twist(std::uint32_t* state) {
    twist_loop(state);
}

void unit_floats(const std::uint32_t* words, float* out, std::size_t count) {
    unit_floats_loop(words, out, count);
}

void box_muller(float* x, std::size_t blocks, float mean, float std) {
    box_muller_loop(x, blocks, mean, std);
}

}  // namespace plain

void twist(std::uint32_t* state) {
    has_avx2() ? twist_avx2(state) : plain::twist(state);
}

void unit_floats(const std::uint32_t* words, float* out, std::size_t count) {
    has_avx2() ? unit_floats_avx2(words, out, count) : plain::unit_floats(words, out, count);
}

void box_muller(float* x, std::size_t blocks, float mean, float std) {
    has_avx2() ? box_muller_avx2(x, blocks, mean, std) : plain::box_muller(x, blocks, mean, std);
}

}  // namespace minimind::kernels
