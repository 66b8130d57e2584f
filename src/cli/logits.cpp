// godwit logits: the model's raw output for given tokens, as a numpy file. The window through which other programs
// check the forward pass.
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "engine/solo.hpp"

namespace godwit {
namespace {

constexpr int64_t kRows = 16;  // a step; all of them give logits, which are long rows

struct LogitsOptions {
    ModelOptions model;
    std::string tokens, out;
};

/// numpy's file format, version 1.0: magic, header length, a Python dict padded to 64 bytes, then the raw array.
std::string npy_header(size_t rows, int64_t columns) {
    std::string dict = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    size_t length = (10 + dict.size() + 1 + 63) / 64 * 64 - 10;
    dict.resize(length - 1, ' ');
    std::string header = "\x93NUMPY";
    header += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
    return header + dict + '\n';
}

Result<int> logits(const LogitsOptions& options) {
    std::vector<TokenId> ids = TRY(parse_ids(options.tokens));
    if (ids.empty()) return error("--tokens: no token ids given");
    LoadedModel loaded = TRY(load_model(options.model));
    note_context(file_name(options.model.path), options.model.context, loaded.model->plan);
    Solo solo = TRY(Solo::make(*loaded.model, *loaded.device, options.model.settings(kRows, kRows)));
    TRY(solo.check(ids));
    OutputFile out = TRY(OutputFile::create(options.out));
    out.write(npy_header(ids.size(), loaded.model->plan.vocabulary));
    TRY(solo.extend_all(ids, [&](int64_t, std::span<const float> row) {
        out.write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
    }));
    TRY(out.finish());
    return 0;
}

}  // namespace

Command logits_command() {
    auto options = std::make_shared<LogitsOptions>();
    Command command{.name = "logits", .purpose = "raw logits of given tokens, as a numpy file (no BOS is added)"};
    options->model.add_to(command);
    command.add({.name = "--tokens",
                 .value = "IDS",
                 .target = &options->tokens,
                 .help = "ids like 1,2,3, or @FILE",
                 .is_required = true});
    command.add({.name = "--out",
                 .value = "FILE",
                 .target = &options->out,
                 .help = "float32 [tokens, vocabulary] in numpy's file format",
                 .is_required = true});
    command.stray = "ids go after --tokens";
    command.notes = "Example\n  godwit logits model.gguf --tokens 1,2,3 --out x.npy --kv f32";
    command.action = [options] { return logits(*options); };
    return command;
}

}  // namespace godwit
