// Any bytes as a GGUF file: parsed or refused, and then every getter on every key and both ends of every tensor.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/check.hpp"
#include "file/model_file.hpp"

namespace {

/// Makes the compiler read what the views promise.
void touch(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    volatile auto sum = static_cast<unsigned>(bytes.front()) + static_cast<unsigned>(bytes.back());
    (void)sum;
}

void use_every_getter(const godwit::Metadata& metadata, std::string_view key) {
    // Of the getters of one value and of those of arrays, at most one fits.
    int fits = metadata.find_string(key).ok() + metadata.find_uint(key).ok() + metadata.find_float(key).ok() +
               metadata.find_bool(key).ok() + metadata.find_ints(key).ok() + metadata.find_floats(key).ok() +
               metadata.find_bools(key).ok();
    auto strings = metadata.find_strings(key);
    if (strings.ok()) {
        for (std::string_view s : *strings.value()) touch(std::as_bytes(std::span(s)));
    }
    CHECK(fits + strings.ok() <= 1);
    CHECK(metadata.get_string(key).ok() == metadata.find_string(key).ok());
    CHECK(metadata.get_uint(key).ok() == metadata.find_uint(key).ok());
    CHECK(metadata.get_float(key).ok() == metadata.find_float(key).ok());
    CHECK(godwit::value_text(*metadata.find(key)).find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    auto file = godwit::ModelFile::from_bytes(std::as_bytes(std::span(data, size)));
    if (!file.ok()) {
        CHECK(file.error().message.find('\n') == std::string::npos);
        return 0;
    }
    for (const auto& entry : file.value().metadata().entries()) use_every_getter(file.value().metadata(), entry.key);
    uint64_t bytes = 0;
    for (const godwit::TensorInfo& tensor : file.value().tensors()) {
        CHECK(file.value().find(tensor.name) == &tensor);
        touch(tensor.data);
        bytes += tensor.data.size();
    }
    CHECK(bytes == file.value().tensor_bytes() && bytes <= size);
    (void)godwit::check_is_model(file.value().metadata()).ok();
    return 0;
}
