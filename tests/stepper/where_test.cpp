// `where`: one element under all its names holds one value.
#include "stepper/where.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>

#include "stepper/analysis_commands.hpp"
#include "stepper/why_parts.hpp"
#include "support/golden_model.hpp"

using namespace minimind;

namespace {

using Index = std::vector<std::int64_t>;

TokenInput input_of(GoldenModel& golden, std::int64_t past, bool with_labels) {
    TokenInput input{golden.ids("in.input_ids"), {}, {}, past, 0};
    if (with_labels) input.labels = golden.ids("in.labels");
    return input;
}

/// "k_rope[0, 3, 1, 4]" for each place.
std::vector<std::string> names_of(const std::vector<ElementPlace>& places) {
    std::vector<std::string> names;
    for (const ElementPlace& place : places) names.push_back(element_name(place.site, place.index));
    return names;
}

}  // namespace

TEST_CASE("where: head, repeat, transpose and cache by hand") {
    GoldenModel golden("dense");  // 4 query heads, 2 KV heads
    REQUIRE(golden.config.heads_per_kv_head() == 2);
    const std::int64_t D = golden.config.head_dim;
    const std::int64_t S = golden.ids("in.input_ids").batch.seq;
    const auto plain = record_pass(golden.model, input_of(golden, 0, false));
    CHECK(names_of(places_of_element(*plain, {Point::k_repeat, 0}, {0, 2, 3, 1})) ==
          std::vector<std::string>{"k_rope[0, 2, 1, 1]", "k_repeat[0, 2, 2, 1]", "k_repeat[0, 2, 3, 1]"});
    CHECK(names_of(places_of_element(*plain, {Point::z, 0}, {1, 2, 3, 1})) ==
          std::vector<std::string>{"z[1, 2, 3, 1]", element_name({Point::merged, 0}, {1, 3, 2 * D + 1})});
    CHECK(names_of(places_of_element(*plain, {Point::q_proj, 1}, {1, 0, D + 2})) ==
          std::vector<std::string>{element_name({Point::q_proj, 1}, {1, 0, D + 2}), "q[1, 0, 1, 2]"});

    const auto cached = record_pass(golden.model, input_of(golden, 2, false));
    CHECK(names_of(places_of_element(*cached, {Point::v_proj, 0}, {0, 1, D + 3})) ==
          std::vector<std::string>{element_name({Point::v_proj, 0}, {0, 1, D + 3}), "v[0, 1, 1, 3]",
                                   "v_cache[0, 3, 1, 3]", "v_repeat[0, 3, 2, 3]", "v_repeat[0, 3, 3, 3]"});
    // position 1 came with the cache: its first place is the cache itself
    CHECK(names_of(places_of_element(*cached, {Point::k_repeat, 0}, {0, 1, 0, 3})) ==
          std::vector<std::string>{"k_cache[0, 1, 0, 3]", "k_repeat[0, 1, 0, 3]", "k_repeat[0, 1, 1, 3]"});

    // z lies in the bytes of merged; its own row-major number is another
    const Index index = {1, 2, 3, 1};
    CHECK(flat_index({2, 4, S, D}, index) == ((1 * 4 + 2) * S + 3) * D + 1);
    CHECK(memory_layout(*plain, {Point::z, 0}).offset(index.data()) == (1 * S + 3) * 4 * D + 2 * D + 1);
}

TEST_CASE("where: all places of an element hold the same bits, from whichever of them it is asked") {
    for (const std::string name : {"dense", "moe_top2"}) {
        GoldenModel golden(name);
        for (const std::int64_t past : {0, 3}) {
            const auto recording = record_pass(golden.model, input_of(golden, past, true));
            std::mt19937 random(3);
            for (const Stage& stage : recording->stages()) {
                Index index;
                for (const std::int64_t size : stage.record.shape) {
                    index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
                }
                const auto places = places_of_element(*recording, stage.site(), index);
                INFO(element_name(stage.site(), index));
                CHECK(std::ranges::count(places, ElementPlace{stage.site(), index}) == 1);
                const double value = value_at(stage.view, index);
                for (const ElementPlace& place : places) {
                    CHECK(value_at(recording->view(place.site), place.index) == value);
                    CHECK(places_of_element(*recording, place.site, place.index) == places);
                }
            }
        }
    }
}

TEST_CASE("where: a slice is refused with an element that would do") {
    GoldenModel golden("dense");
    const auto recording = record_pass(golden.model, input_of(golden, 0, false));
    SessionState session{golden.model, recording, recording};
    std::ostringstream out;
    where_command().run(session, "z[1,2,3,1]", out);
    CHECK(out.str().find("--> ") != std::string::npos);
    try {
        where_command().run(session, "z[1,2]", out);
        FAIL("a slice was taken for an element");
    } catch (const Error& error) {
        REQUIRE(error.helps().size() == 1);
        where_command().run(session, error.helps()[0].substr(6), out);  // what is suggested works
    }
}
