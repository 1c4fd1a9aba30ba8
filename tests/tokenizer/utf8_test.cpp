#include "tokenizer/utf8.hpp"

#include "support.hpp"

using namespace minimind;
using namespace minimind::testing;

TEST_CASE("utf8: code points of one to four bytes, by hand") {
    CHECK(encode_utf8(U"A\u00e9\u4f60\U0001F98A") == "A\xC3\xA9\xE4\xBD\xA0\xF0\x9F\xA6\x8A");
    CHECK(decode_utf8("A\xC3\xA9\xE4\xBD\xA0\xF0\x9F\xA6\x8A") == U"A\u00e9\u4f60\U0001F98A");
    CHECK(encode_utf8(U"\U0010FFFF") == "\xF4\x8F\xBF\xBF");
    std::string text;
    append_utf8(text, 0xD800);    // a surrogate
    append_utf8(text, 0x110000);  // beyond Unicode
    CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("utf8: the first invalid byte") {
    CHECK_FALSE(first_invalid_utf8("").has_value());
    CHECK_FALSE(first_invalid_utf8("a\xC3\xA9").has_value());
    CHECK(first_invalid_utf8("ab\x80") == 2);            // a continuation without a beginning
    CHECK(first_invalid_utf8("a\xC0\xAF") == 1);         // overlong
    CHECK(first_invalid_utf8("a\xE0\x80\xAF") == 1);     // overlong
    CHECK(first_invalid_utf8("\xED\xA0\x80") == 0);      // a surrogate
    CHECK(first_invalid_utf8("\xF4\x90\x80\x80") == 0);  // beyond U+10FFFF
    CHECK(first_invalid_utf8("abc\xE4\xBD") == 3);       // cut off
    const std::string message = error_of([] { require_utf8("ab\xFFz", "--text"); });
    CHECK(contains(message, "byte 0xff at offset 2"));
    CHECK(contains(message, "--> --text"));
    CHECK(contains(error_of([] { require_utf8("ab\xE4\xBD", "--text"); }), "cut off"));
    CHECK(error_of([] { require_utf8("你好", "--text"); }).empty());
}

TEST_CASE("utf8: invalid bytes are replaced as Python does it") {
    // Each expectation is what bytes.decode('utf-8', errors='replace') gives.
    const std::string bad = "\xEF\xBF\xBD";
    CHECK(replace_invalid_utf8("a\x80z") == "a" + bad + "z");
    CHECK(replace_invalid_utf8("\xC0\xAF") == bad + bad);
    CHECK(replace_invalid_utf8("\xE4\xBDz") == bad + "z");           // one for the part that was right so far
    CHECK(replace_invalid_utf8("\xED\xA0\x80") == bad + bad + bad);  // a surrogate: one each
    CHECK(replace_invalid_utf8("\xF0\x9F\xA6") == bad);              // cut off
    CHECK(replace_invalid_utf8("\xF0\x9F\xA6\xF0\x9F\xA6\x8A") == bad + "\xF0\x9F\xA6\x8A");
    CHECK(replace_invalid_utf8("\xF8\x88\x80\x80\x80") == bad + bad + bad + bad + bad);
    CHECK(replace_invalid_utf8("\xF0\x80\x80\x41") == bad + bad + bad + "A");
}

TEST_CASE("utf8: a stream holds back what is not whole, and its pieces add up") {
    Utf8Stream stream;
    CHECK(stream.feed("a\xE4") == "a");
    CHECK(stream.feed("\xBD").empty());
    CHECK(stream.feed("\xA0!") == "你!");
    CHECK(stream.finish().empty());
    CHECK(stream.feed("\xE4\xBD").empty());
    CHECK(stream.finish() == "\xEF\xBF\xBD");
    CHECK(stream.finish().empty());

    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        // Bytes from everywhere, so that every kind of wrong sequence comes up.
        const std::string interesting = "a\x80\xBF\xC2\xE0\xA0\xE4\xBD\xED\xF0\x90\xF4\x8F\xFF";
        std::string bytes;
        for (unsigned i = 0; i < random() % 12; ++i) bytes += interesting[random() % interesting.size()];
        Utf8Stream parts;
        std::string together;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t size = 1 + random() % 3;
            together += parts.feed(std::string_view(bytes).substr(at, size));
            at += size;
        }
        together += parts.finish();
        CHECK(together == replace_invalid_utf8(bytes));
        CHECK_FALSE(first_invalid_utf8(together).has_value());
    }
}

TEST_CASE("utf8: decode and encode are inverse on every code point") {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        std::string text;
        append_utf8(text, c);
        const Utf8Unit unit = utf8_unit_at(text, 0);
        if (unit.kind != Utf8Unit::Kind::character || unit.code_point != c || unit.size != text.size()) {
            FAIL_CHECK("code point " << static_cast<std::uint32_t>(c));
        }
    }
}
