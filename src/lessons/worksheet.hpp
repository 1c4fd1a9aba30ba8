// A lesson's worksheet: blanks that a learner fills in. The right answers and the answers that known mistakes give are
// computed at the sizes of the learner's own flags, never stored; so is every number in hints and derivations.
//
// A worksheet is a function from sizes to items (one file a lesson, worksheet_09.cpp):
//
//   std::vector<Item> worksheet_9(const Sizes& sizes) {
//       const auto [B, S, V, H, ...] = ...;
//       return {{"embed_out",
//                {"shape after the embedding", "嵌入后的 shape"},
//                shape_answer({B, S, H}),
//                {{shape_answer({B, S}), {"a number for a number: ...", "……"}}},
//                {{concept}, {formula}, {with numbers}},
//                {derivation}}};
//   }
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/language.hpp"
#include "core/shape.hpp"
#include "model/config.hpp"

namespace minimind {

/// What a worksheet is asked for: the model's sizes and the input's. The config is completed.
struct Sizes {
    ModelConfig config;
    Batch batch;
    std::uint64_t seed = 42;  // of the fresh weights, for answers that come from a run
    std::int64_t past = 0;    // P, positions in the cache: T = P + S keys
};

/// The config that a lesson's own examples have, and one that no example has: no two of its sizes are equal, so that a
/// swapped axis shows (B 4, S 7, H 96, 5 layers, 6 heads, 2 KV heads, head_dim 20).
Sizes lesson_sizes(int lesson);
Sizes transfer_sizes(int lesson);

/// The same before what follows from other sizes is filled in, for flags that change some of them.
ModelConfig lesson_config(int lesson);
ModelConfig transfer_config(int lesson);
inline constexpr Batch lesson_batch = {2, 6};
inline constexpr Batch transfer_batch = {4, 7};

/// A value that can be asked for.
struct Answer {
    enum class Kind {
        shape,  // (2, 6, 64)
        count,  // 63912192, 63.9M, 6391万
        real,   // 0.9987, right within `tolerance`
        word,   // mlp
    };
    Kind kind = Kind::word;
    Shape shape;                     // of a shape
    double number = 0.0;             // of a count or a real
    double tolerance = 0.0;          // of a real: the largest difference that is right
    std::vector<std::string> words;  // of a word: what it is called first, then other names that will do
    bool is_bytes = false;           // of a count: how many bytes, so that 24 MiB will do, too
};

Answer shape_answer(Shape shape);
Answer count_answer(std::int64_t count);
Answer bytes_answer(std::int64_t bytes);
Answer real_answer(double value, double tolerance);
Answer word_answer(std::vector<std::string> words);

/// As it is shown: "(2, 6, 64)", "63,912,192", "0.9987", "mlp".
std::string answer_text(const Answer& answer);

/// An answer that a known misunderstanding gives, and what it reveals: "that is Q's width; K is 4 x 96 = 384".
struct Mistake {
    Answer answer;
    Words reveals;
};

struct Item {
    std::string id;  // the same in every language; progress is kept by it
    Words question;
    Answer right;
    std::vector<Mistake> mistakes;
    std::array<Words, 3> hints;  // the concept, the formula, the formula with this model's numbers
    Words derivation;            // how the right answer comes about, for `show`
};

/// The items of a lesson's worksheet at these sizes; empty if the lesson has none. Items whose right answer is that of
/// a listed mistake at these sizes are asked all the same, but such a mistake is not named.
std::vector<Item> worksheet(int lesson, const Sizes& sizes);

/// The lessons that have a worksheet, in the order in which they are read.
const std::vector<int>& worksheet_lessons();

// One file each: worksheet_08.cpp ...
std::vector<Item> worksheet_8(const Sizes& sizes);
std::vector<Item> worksheet_9(const Sizes& sizes);
std::vector<Item> worksheet_10(const Sizes& sizes);
std::vector<Item> worksheet_11(const Sizes& sizes);
std::vector<Item> worksheet_12(const Sizes& sizes);
std::vector<Item> worksheet_13(const Sizes& sizes);
std::vector<Item> worksheet_21(const Sizes& sizes);
std::vector<Item> worksheet_22(const Sizes& sizes);
std::vector<Item> worksheet_23(const Sizes& sizes);
std::vector<Item> worksheet_24(const Sizes& sizes);
std::vector<Item> worksheet_25(const Sizes& sizes);

}  // namespace minimind
