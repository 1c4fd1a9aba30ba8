// What holds of the model for every input: hooks change nothing, the order of the stages, long inputs, caches, and the
// small functions by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "model/activation.hpp"
#include "model/rms_norm.hpp"
#include "model/vector_math.hpp"
#include "random/fresh_model.hpp"
#include "trace/recorder.hpp"
#include "trace/sites.hpp"

using namespace minimind;

namespace {

ModelConfig small(bool use_moe = false) {
    ModelConfig config = preset("tiny");
    config.hidden_size = 24;
    config.num_attention_heads = 6;
    config.num_key_value_heads = 2;
    config.head_dim = 10;
    config.vocab_size = 50;
    config.use_moe = use_moe;
    config.num_experts_per_tok = use_moe ? 2 : 1;
    return completed(config);
}

TokenIds some_ids(std::int64_t batch, std::int64_t seq, std::int64_t vocab) {
    TokenIds ids{{batch, seq}, {}};
    for (std::int64_t i = 0; i < batch * seq; ++i) ids.ids.push_back((7 * i + 3) % vocab);
    return ids;
}

CausalLm model_of(const ModelConfig& config) {
    Generator generator(5);
    return fresh_model(config, generator, true);
}

bool identical(const arma::fmat& a, const arma::fmat& b) {
    return arma::size(a) == arma::size(b) && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

TEST_CASE("logits are bit-identical with hooks on and off") {
    for (const bool use_moe : {false, true}) {
        const ModelConfig config = small(use_moe);
        const CausalLm model = model_of(config);
        for (const std::int64_t seq : {1, 7, 100}) {
            ForwardOptions options;
            options.labels = some_ids(3, seq, 50);
            const CausalLmOutput off = model.forward(some_ids(3, seq, 50), options);
            Recorder recorder;
            options.hook = &recorder;
            const CausalLmOutput on = model.forward(some_ids(3, seq, 50), options);
            CHECK(identical(off.logits, on.logits));
            if (seq > 1) CHECK(off.loss->mean == on.loss->mean);
        }
    }
}

TEST_CASE("the stages come in exactly the order of the table") {
    for (const bool use_moe : {false, true}) {
        const ModelConfig config = small(use_moe);
        const CausalLm model = model_of(config);
        for (const bool cached : {false, true}) {
            KvCache cache(config);
            ForwardOptions options;
            options.past_key_values = cached ? &cache : nullptr;
            if (cached) model.forward(some_ids(2, 3, 50), options);
            Recorder recorder;
            options.hook = &recorder;
            options.labels = some_ids(2, 40, 50);
            model.forward(some_ids(2, 40, 50), options);
            const std::vector<Site> expected =
                sites_of({static_cast<int>(config.num_hidden_layers), use_moe ? 4 : 0, cached, true});
            std::vector<Site> seen;
            for (const Record& record : recorder.records()) seen.push_back(record.site);
            CHECK(seen == expected);  // 80 tokens: every expert gets some
        }
    }
}

TEST_CASE("a cache filled in steps gives the logits of the whole") {
    for (const bool use_moe : {false, true}) {
        const ModelConfig config = small(use_moe);
        const CausalLm model = model_of(config);
        const TokenIds ids = some_ids(2, 70, 50);
        const arma::fmat whole = model.forward(ids).logits;
        KvCache cache(config);
        ForwardOptions options;
        options.past_key_values = &cache;
        std::int64_t done = 0;
        for (const std::int64_t count : {1, 1, 30, 5, 33}) {
            const arma::fmat part = model.forward(ids.positions(done, count), options).logits;
            for (std::int64_t b = 0; b < 2; ++b) {
                for (std::int64_t s = 0; s < count; ++s) {
                    const arma::fvec ours = part.col(static_cast<arma::uword>(b * count + s));
                    const arma::fvec theirs = whole.col(static_cast<arma::uword>(b * 70 + done + s));
                    CHECK(arma::abs(ours - theirs).max() < 2e-5F);  // float32 sums in another order
                }
            }
            done += count;
        }
    }
}

TEST_CASE("a token cannot see what comes after it, nor another row") {
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    TokenIds ids = some_ids(2, 80, 50);
    const arma::fmat before = model.forward(ids).logits;
    ids.ids[75] = (ids.ids[75] + 1) % 50;  // row 0, position 75
    const arma::fmat after = model.forward(ids).logits;
    CHECK(identical(before.cols(0, 74), after.cols(0, 74)));
    CHECK_FALSE(identical(before.cols(75, 75), after.cols(75, 75)));
    CHECK(identical(before.cols(80, 159), after.cols(80, 159)));
}

TEST_CASE("a padded row gives the logits of the row without padding") {
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    const TokenIds ids = some_ids(1, 12, 50);
    ForwardOptions options;
    options.attention_mask = arma::fmat(12, 1, arma::fill::ones);
    CHECK(identical(model.forward(ids).logits, model.forward(ids, options).logits));
    options.attention_mask.rows(9, 11).zeros();  // padding on the right
    const arma::fmat padded = model.forward(ids, options).logits;
    const arma::fmat alone = model.forward(ids.positions(0, 9)).logits;
    CHECK(arma::abs(padded.cols(0, 8) - alone).max() < 2e-6F);  // the products may be blocked differently
}

TEST_CASE("S = 2048 is finite") {
    ModelConfig config = preset("tiny");
    config.max_position_embeddings = 2048;
    const CausalLm model = model_of(completed(config));
    const arma::fmat logits = model.forward(some_ids(1, 2048, 6400)).logits;
    CHECK(logits.is_finite());
}

TEST_CASE("an edit is observed and used; scores of a whole head can be edited") {
    class Patch : public Hook {
      public:
        explicit Patch(Site site) : site_(site) {}
        bool wants(Site site) const override { return site == site_ || site == Site{Point::z, 0}; }
        void observe(Site site, const TensorView& tensor) override { (site == site_ ? seen : z) = tensor.to_f32(); }
        bool edits(Site site) const override { return site == site_; }
        void edit(Site, arma::fmat& values) override {
            rows = values.n_rows;
            values.zeros();
        }
        std::vector<float> seen, z;
        arma::uword rows = 0;

      private:
        Site site_;
    };
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    Patch weights({Point::attn_weights, 0});
    ForwardOptions options;
    options.hook = &weights;
    model.forward(some_ids(1, 5, 50), options);
    CHECK(weights.rows == 5);  // T keys a column
    for (const float value : weights.seen) CHECK(value == 0.0F);
    for (const float value : weights.z) CHECK(value == 0.0F);

    Patch scores({Point::masked_scores, 0});  // all scores 0: every token attends evenly, to the future too
    options.hook = &scores;
    model.forward(some_ids(1, 5, 50), options);
    const std::vector<float> first(scores.z.begin(), scores.z.begin() + 10);
    const std::vector<float> last(scores.z.begin() + 40, scores.z.begin() + 50);
    for (std::size_t i = 0; i < 10; ++i) CHECK(first[i] == doctest::Approx(last[i]).epsilon(1e-5));
}

TEST_CASE("training adds the router's auxiliary loss, evaluation does not") {
    const CausalLm dense = model_of(small());
    const CausalLm moe = model_of(small(true));
    ForwardOptions options;
    CHECK(moe.forward(some_ids(2, 20, 50), options).aux_loss == 0.0);
    options.training = true;
    CHECK(dense.forward(some_ids(2, 20, 50), options).aux_loss == 0.0);
    // Balanced routing gives coef * E * K * (1/E) = coef * K a layer; near that with fresh weights.
    const double balanced = 5e-4 * 2 * 2;
    CHECK(moe.forward(some_ids(2, 20, 50), options).aux_loss == doctest::Approx(balanced).epsilon(0.2));
}

TEST_CASE("what cannot be computed is refused") {
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    CHECK_THROWS_AS(model.forward({{1, 2}, {3, 50}}), Error);
    CHECK_THROWS_AS(model.forward({{1, 2}, {-1, 3}}), Error);
    CHECK_THROWS_AS(model.forward({{0, 0}, {}}), Error);
    CHECK_THROWS_AS(model.forward(some_ids(1, 129, 50)), Error);
    ForwardOptions options;
    options.attention_mask = arma::fmat(3, 1, arma::fill::ones);
    CHECK_THROWS_AS(model.forward(some_ids(1, 4, 50), options), Error);
    options.attention_mask.reset();
    options.labels = TokenIds{{1, 4}, {1, 2, 3, 50}};
    CHECK_THROWS_AS(model.forward(some_ids(1, 4, 50), options), Error);
    options.labels = some_ids(1, 3, 50);
    CHECK_THROWS_AS(model.forward(some_ids(1, 4, 50), options), Error);
    options.labels = some_ids(1, 4, 50);
    options.logits_to_keep = 2;
    CHECK_THROWS_AS(model.forward(some_ids(1, 4, 50), options), Error);
}

TEST_CASE("RMSNorm by hand") {
    // (3, 4): mean square 12.5; heads of two are normalised each by itself
    const arma::fmat x = arma::fvec{3.0F, 4.0F, 0.0F, 0.5F};
    const arma::fmat weight = arma::fvec{2.0F, 1.0F};
    const arma::fmat y = rms_norm(x, weight, 0.0);
    CHECK(y(0) == doctest::Approx(6.0 / std::sqrt(12.5)));
    CHECK(y(1) == doctest::Approx(4.0 / std::sqrt(12.5)));
    CHECK(y(2) == 0.0F);
    CHECK(y(3) == doctest::Approx(std::sqrt(2.0)));
}

TEST_CASE("exp is within 2 units in the last place over the whole range, and exact at its edges") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    float worst = 0.0F;
    std::vector<float> x;
    for (float value = -104.0F; value < 88.7F; value += 0.00317F) x.push_back(value);
    std::vector<float> y = x;
    exp_row(y.data(), std::ssize(y));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = std::exp(static_cast<double>(x[i]));
        const auto rounded = static_cast<float>(exact);
        const double unit = static_cast<double>(std::nextafter(rounded, inf)) - static_cast<double>(rounded);
        worst = std::max(worst, static_cast<float>(std::abs(static_cast<double>(y[i]) - exact) / unit));
    }
    CHECK(worst <= 2.0F);

    std::vector<float> edges = {0.0F,  -0.0F, inf, -inf, 1000.0F, -1000.0F, std::numeric_limits<float>::quiet_NaN(),
                                1e-30F};
    exp_row(edges.data(), std::ssize(edges));
    CHECK(edges[0] == 1.0F);
    CHECK(edges[1] == 1.0F);
    CHECK(edges[2] == inf);
    CHECK(edges[3] == 0.0F);
    CHECK(edges[4] == inf);
    CHECK(edges[5] == 0.0F);
    CHECK(std::isnan(edges[6]));
    CHECK(edges[7] == 1.0F);
}

TEST_CASE("GELU's erf is within 2 units in the last place of 1, and its edges are PyTorch's") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    std::vector<float> x;
    for (float value = -12.0F; value < 12.0F; value += 0.00071F) x.push_back(value);
    std::vector<float> y = x;
    gelu_row(y.data(), std::ssize(y));
    double worst = 0.0;  // x/2 * (1 + erf) carries the error of erf times x/2
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto value = static_cast<double>(x[i]);
        const double exact = value / 2.0 * std::erfc(-value / std::sqrt(2.0));
        worst = std::max(worst, std::abs(static_cast<double>(y[i]) - exact) / std::max(1e-30, std::abs(value) / 2.0));
    }
    CHECK(worst <= 2.0 * static_cast<double>(std::numeric_limits<float>::epsilon()));

    std::vector<float> edges = {0.0F, inf, -inf, std::numeric_limits<float>::quiet_NaN(), 100.0F, -100.0F, 1e-30F};
    gelu_row(edges.data(), std::ssize(edges));
    CHECK(edges[0] == 0.0F);
    CHECK(edges[1] == inf);
    CHECK(std::isnan(edges[2]));  // -inf * 0
    CHECK(std::isnan(edges[3]));
    CHECK(edges[4] == 100.0F);
    CHECK(edges[5] == 0.0F);
    CHECK(edges[6] == 5e-31F);
}

TEST_CASE("softmax sums to 1, shifts with no effect, and -inf gets nothing") {
    std::vector<float> x = {1.0F, 2.0F, -std::numeric_limits<float>::infinity(), 0.5F};
    std::vector<float> shifted = {1001.0F, 1002.0F, -std::numeric_limits<float>::infinity(), 1000.5F};
    softmax_row(x.data(), 4);
    softmax_row(shifted.data(), 4);
    CHECK(x[2] == 0.0F);
    CHECK(x[0] + x[1] + x[3] == doctest::Approx(1.0).epsilon(1e-6));
    CHECK(x[1] / x[0] == doctest::Approx(std::exp(1.0)).epsilon(1e-6));
    for (std::size_t i = 0; i < 4; ++i) CHECK(x[i] == doctest::Approx(shifted[i]).epsilon(1e-6));
}

TEST_CASE("a mask counts the cached keys, too") {
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    const TokenIds ids = some_ids(2, 9, 50);
    ForwardOptions options;
    options.attention_mask = arma::fmat(9, 2, arma::fill::ones);
    options.attention_mask(arma::span(0, 2), arma::span(1, 1)).zeros();  // row 1 is padded on the left
    const arma::fmat whole = model.forward(ids, options).logits;

    KvCache cache(config);
    ForwardOptions first;
    first.past_key_values = &cache;
    first.attention_mask = options.attention_mask.rows(0, 5);
    model.forward(ids.positions(0, 6), first);
    options.past_key_values = &cache;
    const arma::fmat part = model.forward(ids.positions(6, 3), options).logits;
    for (arma::uword b = 0; b < 2; ++b) {  // float32 sums in another order
        CHECK(arma::abs(part.cols(b * 3, b * 3 + 2) - whole.cols(b * 9 + 6, b * 9 + 8)).max() < 2e-5F);
    }
}

TEST_CASE("a cache that does not fit is refused") {
    const ModelConfig config = small();
    const CausalLm model = model_of(config);
    ForwardOptions options;
    KvCache cache(config);
    options.past_key_values = &cache;
    model.forward(some_ids(2, 3, 50), options);
    CHECK_THROWS_AS(model.forward(some_ids(3, 1, 50), options), Error);
    ModelConfig deeper = config;
    deeper.num_hidden_layers = 3;
    KvCache other(deeper);
    options.past_key_values = &other;
    CHECK_THROWS_AS(model.forward(some_ids(2, 3, 50), options), Error);
    ForwardOptions negative;
    negative.logits_to_keep = -1;
    CHECK_THROWS_AS(model.forward(some_ids(2, 3, 50), negative), Error);
}

TEST_CASE("rotary embedding by hand") {
    // D = 4, theta 100: f = (1, 0.1). At position 0 nothing turns; at position 1 pair (x0, x2) turns by 1 radian.
    ModelConfig config = small();
    config.head_dim = 4;
    config.rope_theta = 100.0;
    const RotaryTables tables = rope_tables(config, 0, 2);
    const arma::fmat x = {{1, 1}, {0, 0}, {0, 0}, {1, 1}};  // one head, two positions
    const arma::fmat y = apply_rope(x, tables, {1, 2});
    for (arma::uword i = 0; i < 4; ++i) CHECK(y(i, 0) == x(i, 0));
    CHECK(y(0, 1) == doctest::Approx(std::cos(1.0)));
    CHECK(y(2, 1) == doctest::Approx(std::sin(1.0)));
    CHECK(y(1, 1) == doctest::Approx(-std::sin(0.1)));
    CHECK(y(3, 1) == doctest::Approx(std::cos(0.1)));
}

TEST_CASE("attention by hand: two query heads share one key/value head") {
    // D = 1, S = 2. Scores are products, softmax of the second row: 1 / (1 + e^(k0 - k1) q).
    const std::vector<float> q = {1, 2, 1, 2};  // [S=2, h=2, D=1]
    const std::vector<float> k = {0, 1};        // [S=2, k=1, D=1]
    const std::vector<float> v = {10, 20};
    const arma::fmat z = scaled_dot_product({q.data(), 1, 2, 2, 1, 4}, {k.data(), 1, 2, 1, 1, 2},
                                            {v.data(), 1, 2, 1, 1, 2}, {}, StageTrace(nullptr, {1, 2}));
    CHECK(z(0, 0) == 10.0F);  // the first position sees itself only
    CHECK(z(1, 0) == 10.0F);
    const double e = std::exp(1.0);
    CHECK(z(0, 1) == doctest::Approx((10 + 20 * e) / (1 + e)));
    CHECK(z(1, 1) == doctest::Approx((10 + 20 * e * e) / (1 + e * e)));
}

TEST_CASE("the auxiliary loss by hand, and ties between experts") {
    ModelConfig config = small(true);
    config.num_experts = 2;
    config.num_experts_per_tok = 1;
    config.router_aux_loss_coef = 0.5;
    MoeFeedForward moe;
    moe.gate = arma::fmat(1, 2);  // H = 1, E = 2: logits (0, 0) for x = 0, (x, 0) otherwise
    moe.gate(0, 0) = 1.0F;
    moe.gate(0, 1) = 0.0F;
    for (int e = 0; e < 2; ++e) {
        moe.experts.push_back({arma::fmat(1, 1, arma::fill::ones), arma::fmat(1, 1, arma::fill::ones),
                               arma::fmat(1, 1, arma::fill::ones)});
    }
    const arma::fmat x = {{0.0F, 1.0F, -1.0F}};  // a tie, expert 0, expert 1
    const MlpOutput output = moe.forward(x, config, true, StageTrace(nullptr, {1, 3}));
    // load (2/3, 1/3): of equal experts the first; mean p of expert 0: (1/2 + s + (1 - s)) / 3 = 1/2
    CHECK(output.aux_loss == doctest::Approx(0.5 * 2 * (2.0 / 3 * 0.5 + 1.0 / 3 * 0.5)));
    const double silu = 1.0 / (1.0 + std::exp(-1.0));  // silu(1) * 1, weight p / p = 1
    CHECK(output.hidden_states(0, 1) == doctest::Approx(silu));
}

TEST_CASE("the loss by hand, with a label that does not count") {
    arma::fmat logits(2, 3, arma::fill::zeros);  // V = 2, S = 3
    logits(1, 0) = 1.0F;
    const Loss loss = shifted_cross_entropy(logits, {{1, 3}, {0, 1, ignore_index}}, StageTrace(nullptr, {1, 3}));
    CHECK(loss.counted == 1);
    CHECK(loss.mean == doctest::Approx(std::log(1.0 + std::exp(-1.0))));
    CHECK(loss.per_token.at(1) == 0.0F);
}
