// The floor under a lab's time from start to exit: a program with the same static OpenBLAS that multiplies two small
// matrices and ends. What it takes, the system takes: to start a process, to load the C++ library, to wake BLAS.
#include <cblas.h>

#include <array>
#include <cstdio>

int main() {
    constexpr int size = 64;
    std::array<float, size * size> a{};
    std::array<float, size * size> product{};
    a.fill(0.5F);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, size, size, size, 1.0F, a.data(), size, a.data(), size, 0.0F,
                product.data(), size);
    std::printf("%g\n", static_cast<double>(product[0]));
    return 0;
}
