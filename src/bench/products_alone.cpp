#include "bench/products_alone.hpp"

#include <algorithm>
#include <numeric>

#include "core/threads.hpp"
#include "model/products.hpp"

namespace minimind {

namespace {

constexpr float some_value = 0.01F;  // no product of it is subnormal, which would be slow

}  // namespace

ProductsAlone::ProductsAlone(const CausalLm& model, const PassSize& work,
                             const std::vector<std::vector<std::int64_t>>& tokens_of_experts) {
    const std::vector<Block>& layers = model.model().layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        add_attention(layers[i].self_attn, model.config(), work);
        add_mlp(layers[i], model.config(), work.batch.tokens(),
                tokens_of_experts.empty() ? std::vector<std::int64_t>{} : tokens_of_experts[i]);
    }
    add(model.lm_head(), work.batch.tokens());
    allocate();
}

ProductsAlone ProductsAlone::of_block(const Block& block, const ModelConfig& config, const PassSize& work) {
    ProductsAlone products;
    products.add_attention(block.self_attn, config, work);
    products.add_mlp(block, config, work.batch.tokens(), {});
    products.allocate();
    return products;
}

ProductsAlone ProductsAlone::of_attention(const Attention& attention, const ModelConfig& config, const PassSize& work) {
    ProductsAlone products;
    products.add_attention(attention, config, work);
    products.allocate();
    return products;
}

/// One input, one output and one cache, each large enough for every product.
void ProductsAlone::allocate() {
    arma::uword most = 0;
    for (const auto& step : steps_) {
        most = std::max(most, std::visit([](const auto& product) { return longest(product); }, step));
    }
    input_ = arma::fvec(most).fill(some_value);
    output_ = arma::fvec(most).fill(some_value);
    cache_ = arma::fvec(static_cast<arma::uword>(cache_size_)).fill(some_value);
}

void ProductsAlone::add(const arma::fmat& weight, std::int64_t tokens) {
    if (tokens == 0) return;
    steps_.push_back(Linear{&weight, static_cast<arma::uword>(tokens)});
    gflop_ += 2e-9 * static_cast<double>(weight.n_elem) * static_cast<double>(tokens);
}

void ProductsAlone::add_attention(const Attention& attn, const ModelConfig& config, const PassSize& work) {
    const std::int64_t tokens = work.batch.tokens();
    add(attn.q_proj, tokens);
    add(attn.k_proj, tokens);
    add(attn.v_proj, tokens);

    Heads heads{};
    heads.count = work.batch.batch * config.num_attention_heads;
    heads.kv_heads = work.batch.batch * config.num_key_value_heads;
    heads.head_dim = static_cast<arma::uword>(config.head_dim);
    heads.queries = static_cast<arma::uword>(work.batch.seq);
    heads.keys = static_cast<arma::uword>(work.past + work.batch.seq);
    heads.cache_at = cache_size_;
    cache_size_ += 2 * static_cast<std::size_t>(heads.kv_heads) * heads.head_dim * heads.keys;
    steps_.push_back(heads);
    gflop_ +=
        4e-9 * static_cast<double>(heads.count) * static_cast<double>(heads.head_dim * heads.queries * heads.keys);
    add(attn.o_proj, tokens);
}

void ProductsAlone::add_mlp(const Block& block, const ModelConfig& config, std::int64_t tokens,
                            const std::vector<std::int64_t>& tokens_of_experts) {
    if (!config.use_moe) {
        for (const arma::fmat* weight : {&block.mlp.gate_proj, &block.mlp.up_proj, &block.mlp.down_proj}) {
            add(*weight, tokens);
        }
        return;
    }
    add(block.moe.gate, tokens);
    for (std::size_t e = 0; e < block.moe.experts.size(); ++e) {
        const FeedForward& expert = block.moe.experts[e];
        for (const arma::fmat* weight : {&expert.gate_proj, &expert.up_proj, &expert.down_proj}) {
            add(*weight, tokens_of_experts.at(e));
        }
    }
}

void ProductsAlone::run() {
    for (const auto& step : steps_) std::visit([this](const auto& product) { compute(product); }, step);
}

arma::uword ProductsAlone::longest(const Linear& linear) {
    return std::max(linear.weight->n_rows, linear.weight->n_cols) * linear.tokens;
}

arma::uword ProductsAlone::longest(const Heads& heads) {
    return std::max(heads.keys, heads.head_dim) * heads.queries;
}

void ProductsAlone::compute(const Linear& linear) {
    const arma::fmat& w = *linear.weight;  // [out, in]
    multiply_transposed(columns_of(w), {input_.memptr(), w.n_rows, linear.tokens, w.n_rows}, 1.0F, output_.memptr(),
                        w.n_cols);
}

void ProductsAlone::compute(const Heads& heads) {
    const arma::uword values = heads.head_dim * heads.keys;  // of the keys of one head
    const std::int64_t repeat = heads.count / heads.kv_heads;
    for (std::int64_t j = 0; j < heads.count; ++j) {
        const float* k = cache_.memptr() + heads.cache_at + 2 * static_cast<arma::uword>(j / repeat) * values;
        const float* v = k + values;
        multiply_transposed({k, heads.head_dim, heads.keys, heads.head_dim},
                            {input_.memptr(), heads.head_dim, heads.queries, heads.head_dim}, 1.0F, output_.memptr(),
                            heads.keys);  // scores [S, T]
        multiply({v, heads.head_dim, heads.keys, heads.head_dim},
                 {input_.memptr(), heads.keys, heads.queries, heads.keys}, output_.memptr(),
                 heads.head_dim);  // z [S, D]
    }
}

std::uint64_t read_floats(const float* values, std::int64_t count) {
    constexpr std::int64_t piece = 1 << 15;                              // words that one thread reads at a time
    const auto* words = reinterpret_cast<const std::uint64_t*>(values);  // two floats each
    const std::int64_t word_count = count / 2;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>((word_count + piece - 1) / piece));
    parallel_for(std::ssize(sums), count, [&](std::int64_t i) {
        const std::int64_t end = std::min(word_count, (i + 1) * piece);
        std::uint64_t sum = 0;
        for (std::int64_t word = i * piece; word < end; ++word) sum += words[word];
        sums[static_cast<std::size_t>(i)] = sum;
    });
    return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

std::uint64_t read_weights(const CausalLm& model) {
    std::uint64_t checksum = 0;
    for (const arma::fmat* weight : model.parameters()) {
        checksum += read_floats(weight->memptr(), static_cast<std::int64_t>(weight->n_elem));
    }
    return checksum;
}

}  // namespace minimind
