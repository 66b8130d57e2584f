// The real vocabularies that tools/fetch keeps in the cache folder, as tokenizers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "file/model_file.hpp"
#include "model/read_vocabulary.hpp"
#include "tokenizer/tokenizer.hpp"

namespace godwit {

inline std::string vocabulary_path(const std::string& name) {
    const char* cache = std::getenv("GODWIT_CACHE");
    const char* home = std::getenv("HOME");
    const std::string folder = cache ? cache : std::string(home ? home : "") + "/.cache/godwit";
    return folder + "/vocabularies/ggml-vocab-" + name + ".gguf";
}

/// The name as a part of a test's name.
inline std::string test_name(const testing::TestParamInfo<std::string>& vocabulary) {
    std::string name = vocabulary.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// A whole file; a failure of the test that says what to do if it is not there.
inline std::string read_vocabulary_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) ADD_FAILURE() << path << " is missing: run tools/fetch vocabularies";
    return text.str();
}

/// A tokenizer with the file that it views; tokenizer is null, and the test failed, where something was wrong.
struct RealTokenizer {
    std::unique_ptr<ModelFile> file;
    std::unique_ptr<Tokenizer> tokenizer;

    explicit RealTokenizer(const std::string& name) {
        const std::string path = vocabulary_path(name);
        if (read_vocabulary_file(path).empty()) return;
        auto opened = ModelFile::open(path);
        if (!opened.ok()) {
            ADD_FAILURE() << opened.error().message;
            return;
        }
        file = std::make_unique<ModelFile>(std::move(opened).take());
        std::vector<std::string> warnings;
        auto vocabulary = read_vocabulary(file->metadata(), warnings);
        if (!vocabulary.ok()) {
            ADD_FAILURE() << name << ": " << vocabulary.error().message;
            return;
        }
        auto made = make_tokenizer(std::move(vocabulary).take());
        if (made.ok()) tokenizer = std::move(made).take();
        else ADD_FAILURE() << name << ": " << made.error().message;
    }

    const Tokenizer& operator*() const { return *tokenizer; }
    const Tokenizer* operator->() const { return tokenizer.get(); }
};

}  // namespace godwit
