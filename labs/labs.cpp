#include "labs.hpp"

namespace minimind {

const std::vector<Lab>& labs() {
    static const std::vector<Lab> all = {
        {3,
         {"trace_cli_inference", "from a question to an answer: prompt, ids, logits, new tokens",
          "从提问到回答：prompt、id、logits、新 token", trace_cli_inference}},
        {4,
         {"inspect_tokenizer", "special tokens, a text and a chat as the tokenizer sees them",
          "分词器眼中的特殊 token、文本与对话", inspect_tokenizer}},
        {8,
         {"inspect_model_config_params", "a model's config, and where its parameters are", "模型配置与参数分布",
          inspect_model_config_params}},
        {9,
         {"trace_block_shapes", "shapes and scales through embedding, blocks and head",
          "从嵌入、每个 block 到 lm_head 的 shape 与尺度", trace_block_shapes}},
        {10,
         {"trace_loss_shift", "which logits predict which label, and which labels count",
          "哪个 logits 预测哪个 label，哪些 label 计入 loss", trace_loss_shift}},
        {11,
         {"trace_attention_shapes", "the inside of attention, by hand beside the module", "注意力内部：手算与模块对照",
          trace_attention_shapes}},
        {12,
         {"trace_rope_kv_cache", "rotary positions, and a cache that changes nothing",
          "旋转位置编码，以及不改变结果的 KV cache", trace_rope_kv_cache}},
    };
    return all;
}

}  // namespace minimind
