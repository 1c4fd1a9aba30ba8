#include "cli/commands.hpp"

#include "labs.hpp"

namespace minimind {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"labs", "list the labs of the course", "列出课程实验", labs_command},
        {"params", "parameter table of a model", "模型参数表", inspect_model_config_params},
        {"trace", "every stage of a forward pass: shape, statistics, values", "前向计算的每个阶段：shape、统计量、数值",
         trace_command},
        {"hooks", "the hook reference: every stage with its formula", "hook 参考：每个阶段及其公式", hooks_command},
    };
    return all;
}

}  // namespace minimind
