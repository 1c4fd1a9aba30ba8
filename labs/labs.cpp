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
        {10,
         {"logits_to_keep", "what logits for the last positions only save, and what not",
          "只算最后几个位置的 logits 能省下什么、省不下什么", logits_to_keep}},
        {11,
         {"trace_attention_shapes", "the inside of attention, by hand beside the module", "注意力内部：手算与模块对照",
          trace_attention_shapes}},
        {12,
         {"trace_rope_kv_cache", "rotary positions, and a cache that changes nothing",
          "旋转位置编码，以及不改变结果的 KV cache", trace_rope_kv_cache}},
        {12,
         {"rope_yarn", "rotary frequencies, YaRN, and why only distances count",
          "旋转频率、YaRN，以及为什么只有距离起作用", rope_yarn}},
        {12,
         {"kv_cache_memory", "bytes of the KV cache for MHA, GQA and MQA", "MHA、GQA、MQA 的 KV cache 各占多少字节",
          kv_cache_memory}},
        {13,
         {"trace_ffn_moe", "the inside of the FFN, and a mixture of experts in its place",
          "FFN 的内部，以及替换它的 MoE", trace_ffn_moe}},
        {21,
         {"compare_norms", "RMSNorm beside LayerNorm, where eps counts, bf16 and fp16",
          "RMSNorm 与 LayerNorm 逐值对照，eps 的作用，bf16 与 fp16", compare_norms}},
        {21,
         {"compare_residual", "the residual stream by layer, pre-norm against post-norm",
          "逐层看残差流：pre-norm 与 post-norm 对照", compare_residual}},
        {22,
         {"compare_activations", "silu, gelu and relu: values, slopes and curves",
          "silu、gelu 与 relu：取值、斜率与曲线", compare_activations}},
        {23,
         {"tied_embeddings", "one table as embedding and as head, and what that saves",
          "一张表既当嵌入又当 lm_head，省下了什么", tied_embeddings}},
        {25,
         {"gemm_shapes", "many matrix-vector products against one GEMM, measured",
          "许多次矩阵乘向量与一次 GEMM，实测对比", gemm_shapes}},
    };
    return all;
}

}  // namespace minimind
