// What is done with an input of the fuzzer of tokenizer.json. Returns for a good input and throws Error for a bad one;
// anything else (a crash, another exception, a time-out) is a bug. The tests call it with the inputs in corpus/.
#pragma once

#include <string_view>

#include "tokenizer/tokenizer.hpp"

namespace minimind::testing {

inline void run_tokenizer_json(std::string_view input) {
    const auto tokenizer = Tokenizer::from_json(input, default_tokenizer_config(), "input");
    const auto ids = tokenizer.encode("Hello, 你好 e\xCC\x81 aaaa  \n<|im_end|> 123 it's", "text");
    tokenizer.decode(ids, true);
    for (const auto id : ids) tokenizer.token_bytes(id);
}

}  // namespace minimind::testing
