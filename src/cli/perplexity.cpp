// godwit perplexity: how well a model predicts a text.
#include "engine/perplexity.hpp"

#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

constexpr int64_t kRows = 16;  // a step; all of them give logits, which are long rows

struct PerplexityOptions {
    ModelOptions model;
    std::string file;
    bool json = false;
};

Result<int> perplexity(PerplexityOptions options) {
    if (options.model.context == 0) options.model.context = 512;
    std::string text = TRY(read_text(options.file));
    LoadedModel loaded = TRY(load_model(options.model));
    Solo solo = TRY(Solo::make(*loaded.model, *loaded.device, options.model.settings(kRows, kRows)));
    Progress progress("perplexity");
    PerplexityScore score =
        TRY(score_text(solo, *loaded.model->tokenizer, text, options.model.context,
                       [&](int64_t done, int64_t chunks, const PerplexityScore& so_far) {
                           progress.update(done, chunks, fmt::format("{:.4f} so far", so_far.perplexity()));
                       }));
    progress.finish();
    if (options.json)
        print_json({{"perplexity", score.perplexity()}, {"nll", score.mean_nll()}, {"tokens", score.tokens}});
    else
        fmt::print("perplexity {:.4f} over {} tokens of {} ({} backend, {} threads)\n", score.perplexity(),
                   score.tokens, file_name(options.file), loaded.device->name(), loaded.pool->size());
    return 0;
}

}  // namespace

Command perplexity_command() {
    auto options = std::make_shared<PerplexityOptions>();
    Command command{.name = "perplexity", .purpose = "how well a model predicts a text (as llama-perplexity scores)"};
    options->model.add_model_to(command);
    command.add({.name = "--file",
                 .value = "FILE",
                 .target = &options->file,
                 .help = "the text; - is standard input",
                 .is_required = true});
    command.add(context_option(options->model.context, "tokens of a chunk, 4 or more (default: 512)", 4));
    command.add({.name = "--json", .target = &options->json, .help = R"({"perplexity", "nll", "tokens"})"});
    options->model.add_compute_to(command);
    command.stray = "the text's file goes after --file";
    command.notes = "Example\n  godwit perplexity model.gguf --file text.txt --context 512";
    command.action = [options] { return perplexity(*options); };
    return command;
}

}  // namespace godwit
