#include "cli/commands.hpp"

#include "labs.hpp"

namespace minimind {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"lessons", "list the lessons, read one, fill in its worksheet", "课程列表、阅读、做练习", lessons_command},
        {"labs", "list the labs of the course", "列出课程实验", labs_command},
        {"params", "parameter table of a model", "模型参数表", inspect_model_config_params},
        {"trace", "every stage of a forward pass: shape, statistics, values", "前向计算的每个阶段：shape、统计量、数值",
         trace_command},
        {"step", "walk through a forward pass, stage by stage, forwards and backwards",
         "逐个阶段走完一次前向计算，可进可退", step_command},
        {"generate", "text from a prompt, each sampling step shown if asked", "根据 prompt 生成文本，可显示每一步采样",
         generate_command},
        {"tokenize", "text to token ids and back, and chat rendering", "文本与 token id 互相转换、对话模板渲染",
         tokenize_command},
        {"inspect", "what is in a checkpoint", "查看 checkpoint 的内容", inspect_command},
        {"save", "write a checkpoint that transformers loads", "写出 transformers 可加载的权重目录", save_command},
        {"hooks", "the hook reference: every stage with its formula", "hook 参考：每个阶段及其公式", hooks_command},
        {"bench", "speed on this machine, beside its floor", "本机速度与理论下限的对照", bench_command},
    };
    return all;
}

}  // namespace minimind
