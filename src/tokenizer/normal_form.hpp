// Unicode normal forms (Unicode Standard Annex 15), by utf8proc. One text can be spelled in several ways: "é" is
// U+00E9 or "e" and U+0301. A tokenizer that asks for NFC sees the composed spelling only.
#pragma once

#include <string>
#include <string_view>

namespace minimind {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// `text` in that form. Precondition: valid UTF-8. Takes time linear in the text (and n log n in its longest run of
/// combining marks).
std::string normal_form(std::string_view text, NormalForm form);

}  // namespace minimind
