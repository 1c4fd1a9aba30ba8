// What other programs call the same things: the part of flag_words.hpp that knows what an unknown flag means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "console/flag_words.hpp"

namespace minimind {

namespace {

struct OtherNames {
    std::vector<std::string> own;     // here
    std::vector<std::string> others;  // elsewhere: lower case, without - and _
};

/// GPT-2, LLaMA, Qwen, PyTorch's Transformer and TransformerLens configs, and what people abbreviate.
const std::vector<OtherNames>& other_names() {
    static const std::vector<OtherNames> names = {
        {{"--hidden_size"},
         {"dim", "dmodel", "nembd", "hidden", "hiddendim", "embeddim", "embdim", "modeldim", "width"}},
        {{"--num_hidden_layers"}, {"layers", "nlayer", "nlayers", "numlayers", "depth", "blocks", "nblocks"}},
        {{"--num_attention_heads"}, {"heads", "nhead", "nheads", "numheads", "attentionheads"}},
        {{"--num_key_value_heads"}, {"kvheads", "nkvheads", "nkvhead", "numkvheads", "nkeyvalueheads"}},
        {{"--head_dim"}, {"dhead", "headsize", "dimhead", "kvchannels"}},
        {{"--vocab_size"}, {"vocab", "nvocab", "dvocab", "vocabulary", "vocabularysize"}},
        {{"--intermediate_size"},
         {"ffndim", "ffn", "dff", "dmlp", "mlpdim", "hiddenmult", "ffnhiddensize", "ffnsize", "dimfeedforward"}},
        {{"--moe_intermediate_size"}, {"expertsize", "expertdim", "moedim"}},
        {{"--seq_len", "--max_position_embeddings"}, {"maxseqlen", "maxseqlength", "maxlen"}},
        {{"--max_position_embeddings"},
         {"nctx", "nctxlen", "npositions", "blocksize", "context", "contextlength", "contextsize", "maxpositions"}},
        {{"--batch_size"}, {"bs", "b", "batch", "nbatch", "bsz"}},
        {{"--seq_len"}, {"seq", "s", "t", "seqlength", "sequencelength", "length", "ntokens"}},
        {{"--rope_theta"}, {"theta", "ropebase", "rotarybase", "rotaryembbase", "ropefreqbase"}},
        {{"--rms_norm_eps"}, {"eps", "epsilon", "normeps", "layernormeps", "layernormepsilon", "rmseps"}},
        {{"--hidden_act"}, {"act", "actfn", "activation", "activationfunction", "nonlinearity"}},
        {{"--tie_word_embeddings"}, {"tie", "tied", "tieembeddings", "tiedembeddings", "weighttying"}},
        {{"--use_moe"}, {"moe", "ismoe"}},
        {{"--num_experts"}, {"experts", "nexperts", "numlocalexperts", "nroutedexperts"}},
        {{"--num_experts_per_tok"}, {"expertspertoken", "numexpertspertoken", "topkexperts", "nactivatedexperts"}},
        {{"--router_aux_loss_coef"}, {"auxloss", "auxlosscoef", "auxlossalpha"}},
        {{"--inference_rope_scaling"}, {"yarn", "ropescaling"}},
        {{"--input_ids"}, {"ids", "tokens", "tokenids", "inputids"}},
        {{"--attention_mask"}, {"mask", "paddingmask", "attnmask"}},
        {{"--labels"}, {"targets", "target", "label"}},
        {{"--text", "--input_ids"}, {"prompt", "input", "sentence"}},
        {{"--past"}, {"cache", "pastlen", "startpos", "pastkeyvalues"}},
        {{"--checkpoint"}, {"ckpt", "weights", "weight", "model", "modelpath", "load", "loadfrom", "pretrained"}},
        {{"--tokenizer_path"}, {"tokenizer", "tokenizerfile"}},
        {{"--seed"}, {"manualseed", "randomseed", "rngseed"}},
        {{"--max_new_tokens"}, {"maxtokens", "maxlength", "newtokens", "numtokens", "maxgenlen"}},
        {{"--temperature"}, {"temp"}},
        {{"--repetition_penalty"}, {"reppenalty", "repeatpenalty"}},
        {{"--dump"}, {"out", "output", "outputdir", "outdir", "save"}},
        {{"--format"}, {"json", "csv", "markdown", "fmt", "outputformat"}},
    };
    return names;
}

/// The spelling that the table uses.
std::string folded(std::string_view flag) {
    std::string result;
    for (const char c : flag) {
        if (c != '-' && c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

std::vector<std::string> own_names(std::string_view flag) {
    for (const OtherNames& names : other_names()) {
        if (contains(names.others, folded(flag))) return names.own;
    }
    return {};
}

Error unknown_flag(const Arguments& arguments, const std::string& flag, const std::string& where) {
    std::vector<std::string> known;
    for (const Flag& candidate : arguments.flags()) {
        if (!candidate.is_positional()) known.push_back(candidate.name());
    }
    std::vector<std::string> meant;
    std::vector<std::string> elsewhere;
    for (const std::string& name : own_names(flag)) (contains(known, name) ? meant : elsewhere).push_back(name);

    Error error(fmt::format("unknown flag {}", flag));
    error.at(where);
    if (meant.empty() && !elsewhere.empty()) {
        error.note(
            fmt::format("here this is called {}, which this command does not take", fmt::join(elsewhere, " or ")));
    }
    const std::string nearest = meant.empty() && elsewhere.empty() ? nearest_name(flag, known) : "";
    if (!meant.empty()) error.help(fmt::format("here this is called {}", fmt::join(meant, " or ")));
    if (!nearest.empty()) error.help(fmt::format("did you mean {}?", nearest));
    if (meant.empty() && nearest.empty()) {
        const std::string space = arguments.command().empty() ? "" : " ";
        error.help(fmt::format("\"minimind{}{} --help\" lists the flags", space, arguments.command()));
    }
    return error;
}

}  // namespace minimind
