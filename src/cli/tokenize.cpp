// godwit tokenize, godwit detokenize: text to ids and back, alone.
#include <CLI/CLI.hpp>

#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "hub/store.hpp"
#include "model/tokenizer_file.hpp"

namespace godwit {
namespace {

struct TokenizeOptions {
    std::string model, text, file, tokens;
    bool special = false, json = false;
};

constexpr const char* kTokenizerHelp =
    "a GGUF file, the name of a pulled model, a tokenizer.json, or a folder that holds one";

std::string hex(std::string_view bytes) {
    std::string out;
    for (unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

/// One token a line: id and text with escapes.
std::string escaped(std::string_view bytes) {
    std::string out;
    for (char c : bytes) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\x{:02x}", byte);
        else out += c;
    }
    return out;
}

Result<int> tokenize(const TokenizeOptions& options, bool has_text) {
    std::string path = TRY(resolve_model(options.model));
    const auto tokenizer = TRY(open_tokenizer(path));
    std::string text = has_text ? options.text : TRY(read_text(options.file));
    auto list = nlohmann::ordered_json::array();
    for (TokenId id : tokenizer->encode(text, options.special ? Specials::All : Specials::None)) {
        std::string_view bytes = tokenizer->bytes(id, true);
        if (options.json) list.push_back({{"id", id}, {"text", std::string(bytes)}, {"bytes", hex(bytes)}});
        else fmt::print("{:>7}  '{}'\n", id, escaped(bytes));
    }
    if (options.json) print_json({{"tokens", list}});
    return 0;
}

Result<int> detokenize(const TokenizeOptions& options) {
    std::string path = TRY(resolve_model(options.model));
    const auto tokenizer = TRY(open_tokenizer(path));
    std::vector<TokenId> ids = TRY(parse_ids(options.tokens));
    for (TokenId id : ids)
        if (id < 0 || id >= tokenizer->size())
            return error("--tokens: {} is outside the vocabulary of {}", id, tokenizer->size());
    std::string text = tokenizer->decode(ids, true);
    if (options.json) print_json({{"text", text}});
    else std::fwrite(text.data(), 1, text.size(), stdout), std::fputc('\n', stdout);
    return 0;
}

}  // namespace

void add_tokenize(CLI::App& app, Action& action) {
    auto options = std::make_shared<TokenizeOptions>();
    CLI::App* command = app.add_subcommand("tokenize", "text to token ids (no BOS is added)");
    command->add_option("MODEL", options->model, kTokenizerHelp)->required();
    auto* text = command->add_option("--text", options->text, "the text");
    auto* file = command->add_option("--file", options->file, "a file with the text; - is standard input");
    text->excludes(file);
    command->add_flag("--special", options->special, "find special tokens like <|im_start|> in the text");
    command->add_flag("--json", options->json, R"({"tokens":[{"id","text","bytes"}]})");
    command->footer("Example:\n  godwit tokenize model.gguf --text 'Hello, world'");
    command->callback([=, &action] {
        if (text->count() + file->count() == 0) throw CLI::RequiredError("--text or --file");
        action = [options, has_text = text->count() > 0] { return tokenize(*options, has_text); };
    });
}

void add_detokenize(CLI::App& app, Action& action) {
    auto options = std::make_shared<TokenizeOptions>();
    CLI::App* command = app.add_subcommand("detokenize", "token ids to text");
    command->add_option("MODEL", options->model, kTokenizerHelp)->required();
    command->add_option("--tokens", options->tokens, "ids like 1,2,3, or @file")->required();
    command->add_flag("--json", options->json, R"({"text"})");
    command->footer("Example:\n  godwit detokenize model.gguf --tokens 9906,11,1917");
    command->callback([=, &action] { action = [options] { return detokenize(*options); }; });
}

}  // namespace godwit
