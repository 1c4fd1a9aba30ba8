#include "inspect_tokenizer/explanations.hpp"

#include <algorithm>

namespace minimind {

namespace {

const Words vocabulary = {
    "Ids run from 0 to {last id}, so that a model needs a vocab_size of at least {limit}. bos, eos, pad and unk are "
    "roles that some of them have: eos is where an answer ends, pad fills rows up to one length.",
    "id 从 0 到 {last id}，所以模型的 vocab_size 至少是 {limit}。bos、eos、pad、unk 是其中某些 id 的角色：遇到 eos "
    "回答就结束，pad 用来把各行补到同样长。"};

const Words plain_text = {
    "{characters}, {bytes} of UTF-8, {ids}. Merging works on bytes, and raw_tokens spells every byte as one letter: Ġ "
    "is a space, Ċ a newline, and a Chinese character three letters.",
    "{c} 个字符，UTF-8 编码后 {b} 个字节，得到 {n} 个 id。BPE 合并的是字节，raw_tokens 里每个字节写成一个字母：Ġ "
    "是空格，Ċ 是换行，一个汉字是三个字母。"};

const Words empty_text = {"No text, no ids: the tokenizer adds nothing of its own.",
                          "没有文本就没有 id：分词器不会自己添加任何东西。"};

const Words empty_think_block = {
    "A chat is one text in the end: the template writes every role into it and opens the assistant's turn. The empty "
    "<think> block says that the answer comes without thinking.",
    "对话最终也只是一段文本：模板把每个角色写进去，再替 assistant 开个头。空的 <think> 块表示不经思考，直接回答。"};

const Words open_think_block = {
    "A chat is one text in the end: the template writes every role into it and opens the assistant's turn. <think> "
    "stays open, so that the model goes on by thinking.",
    "对话最终也只是一段文本：模板把每个角色写进去，再替 assistant 开个头。<think> 没有闭合，模型会接着写思考过程。"};

const Words finished_chat = {
    "A chat is one text in the end: the template writes every role into it, each turn between <|im_start|> and "
    "<|im_end|>. It ends with a whole turn, since no generation prompt was asked for.",
    "对话最终也只是一段文本：模板把每个角色写进去，每一轮都夹在 <|im_start|> 和 <|im_end|> 之间。这里没有要求 "
    "generation prompt，所以停在完整的一轮之后。"};

const Words same_again = {
    "The ids turned back into text, special tokens kept. It is the text of [Chat Template] again: nothing was lost.",
    "把 id 解码回文本，保留特殊 token，得到的正是 [Chat Template] 里的文本，什么也没丢。"};

const Words not_the_same = {
    "The ids turned back into text, special tokens kept. It differs from [Chat Template]: this tokenizer changes a "
    "text before it cuts it up, or has no token for a part of it.",
    "把 id 解码回文本，保留特殊 token。结果与 [Chat Template] 不同：这个分词器在切分之前改动了文本，"
    "或者其中有它没有对应 token 的部分。"};

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Words of_prompt(const std::string& prompt, bool open_thinking) {
    if (ends_with(prompt, "<|im_end|>\n")) return finished_chat;
    return open_thinking ? open_think_block : empty_think_block;
}

Blanks text_blanks(const Tokenizer& tokenizer, const std::string& text) {
    const std::int64_t characters =
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
    const std::int64_t ids = std::ssize(tokenizer.encode(text));
    return {{"characters", counted(characters, "character")},
            {"bytes", counted(std::ssize(text), "byte")},
            {"ids", counted(ids, "id")},
            {"c", std::to_string(characters)},
            {"b", std::to_string(text.size())},
            {"n", std::to_string(ids)}};
}

}  // namespace

Explanations explain_tokenizer(const Tokenizer& tokenizer, const std::string& text, const std::string& prompt,
                               bool open_thinking) {
    const Blanks ids = {{"last id", std::to_string(tokenizer.id_limit() - 1)},
                        {"limit", std::to_string(tokenizer.id_limit())}};
    return {
        {"Tokenizer", filled(vocabulary, ids)},
        {"plain text", text.empty() ? empty_text : filled(plain_text, text_blanks(tokenizer, text))},
        {"Chat Template", of_prompt(prompt, open_thinking)},
        {"Prompt Encoding",
         filled({"This is all that the model gets to see: {ids}. Roles and turns cost ids like everything else.",
                 "模型能看到的只有这 {n} 个 id。角色和分轮的标记也一样要占 id。"},
                text_blanks(tokenizer, prompt))},
        {"Prompt Decode", tokenizer.decode(tokenizer.encode(prompt)) == prompt ? same_again : not_the_same},
    };
}

Words explain_special_token(const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<std::int64_t> ids = tokenizer.encode(text);
    if (ids.size() != 1) {
        return filled({"This tokenizer has no such token: the text is cut up like any other, into {ids}.",
                       "这个分词器没有这样的 token：它和普通文本一样被切开，得到 {n} 个 id。"},
                      text_blanks(tokenizer, text));
    }
    if (tokenizer.is_special(ids[0])) {
        return {
            "One id for the whole text, which is found before any merging begins. It is marked as special: decoding "
            "with special tokens skipped leaves nothing of it.",
            "整段文本只占一个 id，在 BPE 合并之前就被认出来。它标记为 special：解码时若跳过特殊 token，就什么也不剩。"};
    }
    return {
        "One id for the whole text, which is found before any merging begins. It is not marked as special, so that it "
        "is still there when special tokens are skipped.",
        "整段文本只占一个 id，在 BPE 合并之前就被认出来。它没有标记为 special，跳过特殊 token 时仍然保留。"};
}

}  // namespace minimind
