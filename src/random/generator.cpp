#include "random/generator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minimind {

namespace {

constexpr std::size_t block = 16;  // values that Box-Muller transforms together
/// Uniform numbers are made and transformed in pieces that stay in the first-level cache.
constexpr std::size_t piece = 4096;

}  // namespace

Generator::Generator(std::uint64_t seed) {
    state_[0] = static_cast<std::uint32_t>(seed);
    for (std::uint32_t i = 1; i < kernels::twister_words; ++i) {
        const std::uint32_t before = state_[i - 1];
        state_[i] = 1812433253U * (before ^ (before >> 30)) + i;
    }
}

std::uint32_t Generator::draw32() {
    if (position_ == kernels::twister_words) {
        kernels::twist(state_.data());
        position_ = 0;
    }
    return kernels::tempered(state_[position_++]);
}

std::uint64_t Generator::draw64() {
    const std::uint64_t high = draw32();
    return high << 32 | draw32();
}

float Generator::uniform_float() {
    return static_cast<float>(draw32() & 0xffffffU) * 0x1p-24F;
}

double Generator::uniform_double() {
    return static_cast<double>(draw64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

float Generator::exponential_float() {
    return static_cast<float>(-std::log1p(-uniform_double()));
}

void Generator::fill_unit(float* values, std::size_t count) {
    while (count > 0) {
        if (position_ == kernels::twister_words) {
            kernels::twist(state_.data());
            position_ = 0;
        }
        const std::size_t run = std::min(count, kernels::twister_words - position_);
        kernels::unit_floats(state_.data() + position_, values, run);
        position_ += run;
        values += run;
        count -= run;
    }
}

void Generator::fill_uniform(float* values, std::size_t count, float low, float high) {
    fill_unit(values, count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::fma(values[i], high - low, low);  // rounded once
}

void Generator::fill_normal(float* values, std::size_t count, double mean, double std) {
    if (count < block) {
        fill_normal_pairs(values, count, mean, std);
        return;
    }
    const float mean_float = static_cast<float>(mean);
    const float std_float = static_cast<float>(std);
    for (std::size_t start = 0; start < count; start += piece) {
        const std::size_t length = std::min(piece, count - start);
        fill_unit(values + start, length);
        kernels::box_muller(values + start, length / block, mean_float, std_float);
    }
    if (count % block != 0) {  // the last 16 values, some of them for the second time, from new draws
        fill_unit(values + count - block, block);
        kernels::box_muller(values + count - block, 1, mean_float, std_float);
    }
}

void Generator::fill_normal_pairs(float* values, std::size_t count, double mean, double std) {
    for (std::size_t i = 0; i < count; ++i) {
        double normal = 0.0;
        if (kept_normal_) {
            normal = *kept_normal_;
            kept_normal_.reset();
        } else {
            const double u1 = uniform_double();
            const double u2 = uniform_double();
            const double radius = std::sqrt(-2.0 * std::log1p(-u2));
            const double angle = 2.0 * std::numbers::pi * u1;
            normal = radius * std::cos(angle);
            kept_normal_ = radius * std::sin(angle);
        }
        values[i] = static_cast<float>(normal * std + mean);
    }
}

void Generator::skip_uniform(std::size_t count) {
    const std::size_t left = kernels::twister_words - position_;
    if (count <= left) {
        position_ += count;
        return;
    }
    count -= left;
    for (; count > kernels::twister_words; count -= kernels::twister_words) kernels::twist(state_.data());
    kernels::twist(state_.data());
    position_ = count;
}

void Generator::skip_normal(std::size_t count) {
    if (count < block) {  // the kept half of a pair changes
        std::array<float, block> unused{};
        fill_normal_pairs(unused.data(), count, 0.0, 1.0);
        return;
    }
    skip_uniform(count % block == 0 ? count : count + block);
}

std::size_t Generator::multinomial(const float* p, std::size_t n) {
    std::size_t best = 0;
    float largest = -1.0F;
    for (std::size_t i = 0; i < n; ++i) {
        const float score = p[i] / exponential_float();
        if (score > largest) {
            largest = score;
            best = i;
        }
    }
    return best;
}

}  // namespace minimind
