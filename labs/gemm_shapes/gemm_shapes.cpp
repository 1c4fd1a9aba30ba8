// Lab of lesson 25: one projection of the model for S tokens, as S matrix-vector products and as one matrix product.
// The numbers are the same, the multiply-adds too; what differs is how often the weights are read from memory.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <functional>

#include "bench/stopwatch.hpp"
#include "console/memory.hpp"
#include "console/token_rows.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "gemm_shapes/explanations.hpp"
#include "labs.hpp"
#include "model/products.hpp"
#include "random/generator.hpp"
#include "report/lab_output.hpp"

namespace minimind {

namespace {

/// What is multiplied: y = W x for every token, W [out, in].
struct Projection {
    arma::fmat weight;  // [out, in] as fmat(in, out)
    arma::fmat x;       // [S, in] for the largest S

    Columns tokens(std::int64_t first, std::int64_t count) const {
        return columns_of(x).range(static_cast<arma::uword>(first), static_cast<arma::uword>(count));
    }
    Columns rows() const { return columns_of(weight); }
};

/// Token by token: S matrix-vector products, each of which reads the whole weight.
void by_token(const Projection& p, std::int64_t tokens, arma::fmat& y) {
    for (std::int64_t s = 0; s < tokens; ++s) {
        multiply_transposed(p.rows(), p.tokens(s, 1), 1.0F, y.colptr(static_cast<arma::uword>(s)), y.n_rows);
    }
}

/// All tokens at once: one product, which uses every piece of the weight for many tokens while it is in the cache.
void at_once(const Projection& p, std::int64_t tokens, arma::fmat& y) {
    multiply_transposed(p.rows(), p.tokens(0, tokens), 1.0F, y.memptr(), y.n_rows);
}

/// The median of several runs after one that warms up: 9, or fewer if a run takes long.
double median_milliseconds(const std::function<void()>& work) {
    const double first = milliseconds(work);
    const int runs = first < 2.0 ? 9 : first < 20.0 ? 5 : first < 200.0 ? 3 : 1;
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) times.push_back(milliseconds(work));
    return median(times);
}

struct Sizes {
    std::int64_t in = 768;
    std::int64_t out = 2432;
    std::vector<std::int64_t> tokens;

    std::int64_t weight_bytes() const { return 4 * in * out; }
    std::int64_t flop(std::int64_t s) const { return 2 * in * out * s; }
};

/// What follows from the sizes alone. By token the weight is read S times, at once it is read once: so many operations
/// for each byte of it.
void show_work(LabOutput& out, const Sizes& sizes) {
    out.section("Work");
    out.line("                            weight read         FLOP a byte of it");
    out.line("  tokens       MFLOP    by token     at once    by token   at once");
    const std::int64_t once = sizes.weight_bytes();
    for (const std::int64_t s : sizes.tokens) {
        const std::int64_t flop = sizes.flop(s);
        const std::int64_t again = once * s;
        const double intensity = static_cast<double>(flop) / static_cast<double>(once);
        const auto per_token = intensity / static_cast<double>(s);
        out.row(fmt::format("{:>8}  {:>10.1f}  {:>10}  {:>10}    {:>8.1f}  {:>8.1f}", s,
                            static_cast<double>(flop) / 1e6, bytes_text(static_cast<double>(again)),
                            bytes_text(static_cast<double>(once)), per_token, intensity),
                {{"tokens", s},
                 {"flop", flop},
                 {"bytes_by_token", again},
                 {"bytes_at_once", once},
                 {"flop_per_byte_by_token", per_token},
                 {"flop_per_byte_at_once", intensity}});
    }
}

void show_same_numbers(LabOutput& out, const Projection& p, const Sizes& sizes) {
    const std::int64_t most = *std::max_element(sizes.tokens.begin(), sizes.tokens.end());
    arma::fmat one_by_one(p.weight.n_cols, static_cast<arma::uword>(most), arma::fill::none);  // [S, out]
    arma::fmat together(p.weight.n_cols, static_cast<arma::uword>(most), arma::fill::none);
    by_token(p, most, one_by_one);
    at_once(p, most, together);
    const float difference = arma::abs(one_by_one - together).max();
    out.section("The Same Numbers");
    out.shape("W", {sizes.out, sizes.in});
    out.shape("x", {most, sizes.in});
    out.shape("y", {most, sizes.out});
    out.value("largest_value", arma::abs(together).max(), fmt::format("{:.4f}", arma::abs(together).max()));
    out.value("by_token_vs_at_once_max_abs_diff", difference, fmt::format("{:.12f}", difference));
}

/// The only section whose numbers are the machine's.
void show_measured(LabOutput& out, const Projection& p, const Sizes& sizes) {
    out.section("Measured On This Machine");
    out.value("threads", omp_get_max_threads());
    out.line("               by token                 at once         by token");
    out.line("  tokens       ms  GFLOP/s   GB/s         ms  GFLOP/s   / at once");
    arma::fmat y(p.weight.n_cols, p.x.n_cols, arma::fill::none);  // [S, out]
    for (const std::int64_t s : sizes.tokens) {
        const double slow = median_milliseconds([&] { by_token(p, s, y); });
        const double fast = median_milliseconds([&] { at_once(p, s, y); });
        const auto flops = static_cast<double>(sizes.flop(s));
        const auto read = static_cast<double>(sizes.weight_bytes() * s);
        out.row(fmt::format("{:>8} {:>8.3f} {:>8.1f} {:>6.1f}   {:>8.3f} {:>8.1f}   {:>9.2f}", s, slow,
                            flops / slow / 1e6, read / slow / 1e6, fast, flops / fast / 1e6, slow / fast),
                {{"tokens", s},
                 {"by_token_ms", slow},
                 {"by_token_gflops", flops / slow / 1e6},
                 {"by_token_gb_per_s", read / slow / 1e6},
                 {"at_once_ms", fast},
                 {"at_once_gflops", flops / fast / 1e6},
                 {"ratio", slow / fast}});
    }
}

/// --tokens 1,2,4. Throws Error for a number that is no number of tokens.
std::vector<std::int64_t> tokens_of(const std::string& flag) {
    constexpr std::int64_t most = 1 << 20;
    std::vector<std::int64_t> tokens = read_rows("--tokens", flag).ids;
    for (const std::int64_t s : tokens) {
        if (s >= 1 && s <= most) continue;
        throw Error(fmt::format("{} is no number of tokens to multiply", s))
            .at(flag_with_value("--tokens", flag))
            .help(fmt::format("use 1 to {}", most));
    }
    return tokens;
}

/// The weight, x, and y three times: twice to compare, once to measure.
void check_memory_of(const Sizes& sizes) {
    const auto most = static_cast<double>(*std::max_element(sizes.tokens.begin(), sizes.tokens.end()));
    const double need =
        static_cast<double>(sizes.weight_bytes()) + 4.0 * most * static_cast<double>(sizes.in + 3 * sizes.out);
    const double available = available_memory();
    if (need <= available) return;
    throw Error(fmt::format("about {} of memory are needed, {} are available", bytes_text(need), bytes_text(available)))
        .at(fmt::format("--hidden_size {} --out {}", sizes.in, sizes.out))
        .help("use smaller sizes or fewer tokens");
}

}  // namespace

int gemm_shapes(const std::vector<std::string>& words) {
    Sizes sizes;
    std::string tokens_flag = "1,2,4,8,16,32,64,128,340";
    std::uint64_t seed = 42;
    std::int64_t threads = 0;
    LabFlags flags;
    Arguments args("gemm_shapes", "Why one big GEMM: the same projection by token and at once (lesson 25).");
    constexpr IntegerRange size_range = {1, 1 << 30};
    args.group("input");
    args.integer("--hidden_size", sizes.in, "numbers of a token that go in", size_range);
    args.integer("--out", sizes.out, "numbers that come out: 2432 is minimind3's gate_proj", size_range);
    args.text("--tokens", tokens_flag, "how many tokens are multiplied").value_name("LIST");
    args.integer("--threads", threads, "threads of the products", {1, 1024}).shown_default("all cores");
    args.value(
            "--seed", [&](const std::string& text) { seed = read_seed(text); },
            "W and x are those of torch.manual_seed(N)")
        .value_name("N")
        .shown_default("42");
    flags.add(args);
    args.example("minimind gemm_shapes", "gate_proj of minimind3");
    args.example("minimind gemm_shapes --out 6400 --tokens 1,340", "lm_head, one token and a training row");
    args.example("minimind gemm_shapes --threads 1", "on one core");
    if (!args.parse(words)) return 0;

    sizes.tokens = tokens_of(tokens_flag);
    check_memory_of(sizes);
    if (threads > 0) use_threads(static_cast<int>(threads));
    const auto most = static_cast<arma::uword>(*std::max_element(sizes.tokens.begin(), sizes.tokens.end()));
    const auto in = static_cast<arma::uword>(sizes.in);
    Projection projection{arma::fmat(in, static_cast<arma::uword>(sizes.out), arma::fill::none),
                          arma::fmat(in, most, arma::fill::none)};
    Generator generator(seed);
    generator.fill_normal(projection.weight.memptr(), projection.weight.n_elem, 0.0, 0.02);
    generator.fill_normal(projection.x.memptr(), projection.x.n_elem, 0.0, 1.0);

    LabOutput out("gemm_shapes", flags);
    out.explain_with(explain_gemm_shapes(static_cast<double>(sizes.weight_bytes())));
    show_work(out, sizes);
    show_same_numbers(out, projection, sizes);
    show_measured(out, projection, sizes);
    out.finish();
    return 0;
}

}  // namespace minimind
