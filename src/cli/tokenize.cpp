// godwit tokenize, godwit detokenize: text to ids and back, alone.
#include <filesystem>

#include "base/printable.hpp"
#include "cli/cli.hpp"
#include "cli/common.hpp"
#include "hub/resolve_model.hpp"
#include "model/tokenizer_file.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

struct TokenizeOptions {
    std::string model, file, tokens;
    std::optional<std::string> text;
    bool special = false, json = false;
};

constexpr const char* kTokenizerHelp =
    "a GGUF file, the name of a pulled model, a tokenizer.json, or a folder that holds one";

/// As resolve_model(), but a folder may stand for the tokenizer.json in it.
Result<std::string> tokenizer_path(const std::string& model) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(model) / "tokenizer.json", ignored)) return model;
    return resolve_model(model);
}

std::string hex(std::string_view bytes) {
    std::string out;
    for (unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
    return out;
}

/// On one line, and nothing that drives the terminal.
std::string escaped(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        std::string_view piece = bytes.substr(0, bytes.find_first_of("\n\t"));
        out += printable(piece, piece.size());
        bytes.remove_prefix(piece.size());
        if (bytes.empty()) break;
        out += bytes.front() == '\n' ? "\\n" : "\\t";
        bytes.remove_prefix(1);
    }
    return out;
}

Result<int> tokenize(const TokenizeOptions& options) {
    std::string path = TRY(tokenizer_path(options.model));
    const auto tokenizer = TRY(open_tokenizer(path));
    std::string text = options.text ? *options.text : TRY(read_text(options.file));
    auto list = Json::array();
    for (TokenId id : tokenizer->encode(text, options.special ? Specials::All : Specials::None)) {
        std::string_view bytes = tokenizer->bytes(id, true);
        if (options.json) list.push_back({{"id", id}, {"text", std::string(bytes)}, {"bytes", hex(bytes)}});
        else fmt::print("{:>7}  '{}'\n", id, escaped(bytes));
    }
    if (options.json) print_json({{"tokens", list}});
    return 0;
}

Result<int> detokenize(const TokenizeOptions& options) {
    std::string path = TRY(tokenizer_path(options.model));
    const auto tokenizer = TRY(open_tokenizer(path));
    std::vector<TokenId> ids = TRY(parse_ids(options.tokens));
    TRY(tokenizer->check(ids));
    std::string text = tokenizer->decode(ids, true);
    if (options.json) print_json({{"text", text}});
    else std::fwrite(text.data(), 1, text.size(), stdout), std::fputc('\n', stdout);
    return 0;
}

}  // namespace

Command tokenize_command() {
    auto options = std::make_shared<TokenizeOptions>();
    Command command{.name = "tokenize", .purpose = "text to token ids (no BOS is added)"};
    command.add({.name = "MODEL", .target = &options->model, .help = kTokenizerHelp, .is_required = true});
    command.add({.name = "--text", .value = "TEXT", .target = &options->text, .help = "the text"});
    command.add({.name = "--file",
                 .value = "FILE",
                 .target = &options->file,
                 .help = "a file with the text; - is standard input",
                 .excludes = {"--text"}});
    command.add({.name = "--special",
                 .target = &options->special,
                 .help = "find special tokens like <|im_start|> in the text"});
    command.add({.name = "--json", .target = &options->json, .help = R"({"tokens":[{"id", "text", "bytes"}]})"});
    command.one_of = {{"--text", "--file"}};
    command.stray = "the text goes after --text";
    command.notes = "Example\n  godwit tokenize model.gguf --text 'Hello, world'";
    command.action = [options] { return tokenize(*options); };
    return command;
}

Command detokenize_command() {
    auto options = std::make_shared<TokenizeOptions>();
    Command command{.name = "detokenize", .purpose = "token ids to text"};
    command.add({.name = "MODEL", .target = &options->model, .help = kTokenizerHelp, .is_required = true});
    command.add({.name = "--tokens",
                 .value = "IDS",
                 .target = &options->tokens,
                 .help = "ids like 1,2,3, or @FILE",
                 .is_required = true});
    command.add({.name = "--json", .target = &options->json, .help = R"({"text"})"});
    command.stray = "ids go after --tokens";
    command.notes = "Example\n  godwit detokenize model.gguf --tokens 9906,11,1917";
    command.action = [options] { return detokenize(*options); };
    return command;
}

}  // namespace godwit
