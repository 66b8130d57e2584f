#include "model/tokenizer_file.hpp"

#include <filesystem>

#include "base/mapped_file.hpp"
#include "model/model.hpp"
#include "tokenizer/tokenizer_json.hpp"

namespace godwit {
namespace {

std::string_view text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Result<std::unique_ptr<Tokenizer>> open_json(const std::filesystem::path& path) {
    const MappedFile json = TRY(MappedFile::open(path.string()));
    const auto beside = path.parent_path() / "tokenizer_config.json";
    std::error_code ignored;
    if (!std::filesystem::exists(beside, ignored)) return read_tokenizer_json(text_of(json));
    const MappedFile config = TRY(MappedFile::open(beside.string()));
    return read_tokenizer_json(text_of(json), text_of(config));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> open_tokenizer(const std::string& path) {
    std::error_code ignored;
    const std::filesystem::path inside = std::filesystem::path(path) / "tokenizer.json";
    const bool folder = std::filesystem::exists(inside, ignored);
    if (!folder && !path.ends_with(".json")) return TRY(load_tokenizer(path)).tokenizer;
    auto tokenizer = open_json(folder ? inside : std::filesystem::path(path));
    if (tokenizer.ok() || tokenizer.error().message.starts_with(path))
        return tokenizer;  // a file that cannot be read names itself
    return error("{}: {}", path, tokenizer.error().message);
}

}  // namespace godwit
