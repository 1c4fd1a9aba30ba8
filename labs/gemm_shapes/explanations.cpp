#include "gemm_shapes/explanations.hpp"

#include "console/memory.hpp"

namespace minimind {

Explanations explain_gemm_shapes(double weight_bytes) {
    const Explanations texts = {
        {"Work",
         {"The same multiply-adds either way. By token the weight is read anew for each token, two operations for "
          "every four bytes: 0.5 FLOP a byte, whatever S is. At once a piece of it that has been loaded serves all "
          "S tokens: 0.5 * S FLOP a byte.",
          "两种做法的乘加次数相同。逐个 token 做，每个 token 都要把权重重读一遍，每 4 个字节只做 2 次运算：无论 S 多"
          "大，都是每字节 0.5 FLOP。一次做完，读进来的每一块权重供 S 个 token 共用：每字节 0.5 * S FLOP。"}},
        {"The Same Numbers",
         {"Every number of y is the same sum of the same products. The two ways add them up in another order, so "
          "the last digits differ.",
          "y 的每个数都是同样一些乘积之和，只是两种做法的求和顺序不同，所以末尾几位不一样。"}},
        {"Measured On This Machine",
         {"Medians of a few runs each; they are the machine's, and no two starts give the same. By token the GB/s "
          "stay where memory has its limit, or the last cache if the {bytes} of this weight fit in it (a whole "
          "model's do not), and the GFLOP/s with them. At once the GFLOP/s grow with S until the arithmetic itself "
          "is the limit; for a few tokens a GEMM may lose, since it first packs the weight into blocks. A prompt is "
          "therefore computed at once; a decode step has one token a row and stays at memory speed, unless many "
          "rows share it.",
          "表中的时间都是几次运行的中位数，取决于机器，每次测出来都不一样。逐个 token 做，GB/s 停在内存带宽的上限；"
          "如果这 {bytes} 的权重放得进末级缓存，就停在缓存的上限（整个模型是放不下的）。GFLOP/s 也就上不去。一次做"
          "完，GFLOP/s 随 S 增长，直到算力本身成为上限；token 很少时 GEMM 可能反而更慢，因为它要先把权重打包成块。所"
          "以 prompt 要一次算完；而 decode 每步每行只有一个 token，速度受内存带宽限制，除非很多行一起算。"}},
    };
    return all_filled(texts, {{"bytes", bytes_text(weight_bytes)}});
}

}  // namespace minimind
