// Models in several files: name-00001-of-0000N.gguf and the keys split.*.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "file/gguf_writer.hpp"
#include "file/model_file.hpp"
#include "file/temp_dir.hpp"

namespace godwit {
namespace {

using test::GgufWriter;
using test::TempDir;

GgufWriter part(uint16_t number, uint16_t count, int32_t tensors) {
    GgufWriter w;
    w.set("split.no", number).set("split.count", count).set("split.tensors.count", tensors);
    return w;
}

/// Three parts with tensors t0, t1, t2; the first also has the model's keys.
std::vector<GgufWriter> three_parts() {
    std::vector<GgufWriter> parts;
    for (uint16_t i = 0; i < 3; ++i) {
        parts.push_back(part(i, 3, 3));
        parts.back().tensor("t" + std::to_string(i), {8, i + 1u}, DType::F32);
    }
    parts[0].set("general.name", "in three parts");
    return parts;
}

std::string name(size_t number, size_t count) { return fmt::format("m-{:05}-of-{:05}.gguf", number, count); }

void write(const TempDir& dir, const std::vector<GgufWriter>& parts) {
    for (size_t i = 0; i < parts.size(); ++i) dir.write(name(i + 1, parts.size()), parts[i].bytes());
}

/// The error of opening the first part, without its folder.
std::string error_of(const TempDir& dir, const std::string& file) {
    auto opened = ModelFile::open(dir.path(file));
    if (opened.ok()) return "";
    std::string message = opened.error().message, folder = dir.path("");
    EXPECT_TRUE(message.starts_with(folder)) << message;
    return message.substr(folder.size());
}

std::string error_of(const std::vector<GgufWriter>& parts) {
    TempDir dir;
    write(dir, parts);
    return error_of(dir, name(1, parts.size()));
}

TEST(Split, AllPartsAreOneModel) {
    TempDir dir;
    write(dir, three_parts());
    auto opened = ModelFile::open(dir.path(name(1, 3)));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const ModelFile file = std::move(opened).take();
    EXPECT_EQ(file.parts(), 3u);
    EXPECT_EQ(file.path(), dir.path(name(1, 3)));
    ASSERT_EQ(file.tensors().size(), 3u);
    EXPECT_EQ(file.find("t2")->shape, (Shape{3, 8}));
    EXPECT_EQ(file.find("t2")->data[95], std::byte{96});
    EXPECT_EQ(file.metadata().get_string("general.name").value(), "in three parts");
    EXPECT_EQ(file.tensor_bytes(), 6u * 32);
}

TEST(Split, AFirstPartOfMetadataOnly) {
    auto parts = three_parts();
    parts[0].tensors.clear();
    parts[0].keys[2].payload = parts[1].keys[2].payload = test::raw_bytes(int32_t{2});
    EXPECT_EQ(error_of(parts), "");
}

TEST(Split, AWholeFileMayCarryTheKeys) {
    TempDir dir;
    for (uint16_t count : {uint16_t{0}, uint16_t{1}}) {
        dir.write("whole.gguf", part(0, count, 0).bytes());
        EXPECT_EQ(error_of(dir, "whole.gguf"), "");
    }
}

TEST(Split, AMissingPartIsNamed) {
    TempDir dir;
    write(dir, three_parts());
    std::filesystem::remove(dir.path(name(2, 3)));
    EXPECT_EQ(error_of(dir, name(1, 3)),
              "m-00002-of-00003.gguf: cannot open: No such file or directory (part 2 of 3 of the model)");
}

TEST(Split, ABrokenPartIsNamed) {
    TempDir dir;
    write(dir, three_parts());
    dir.write(name(3, 3), three_parts()[2].bytes().substr(0, 100));
    std::string message = error_of(dir, name(1, 3));
    EXPECT_TRUE(message.starts_with("m-00003-of-00003.gguf: ")) << message;
    EXPECT_NE(message.find("truncated download?"), std::string::npos) << message;
}

TEST(Split, AnotherPartThanTheFirstSaysWhichToOpen) {
    TempDir dir;
    write(dir, three_parts());
    EXPECT_EQ(error_of(dir, name(2, 3)),
              "m-00002-of-00003.gguf: this is part 2 of 3 of a split model (open the part whose name ends with "
              "-00001-of-00003.gguf)");
}

TEST(Split, NumbersMustAgree) {
    auto parts = three_parts();
    std::swap(parts[1], parts[2]);
    EXPECT_EQ(error_of(parts), "m-00002-of-00003.gguf: its keys say part 3 of 3 of a split model (mixed downloads?)");
    parts = three_parts();
    parts[1].keys[1].payload = test::raw_bytes(uint16_t{7});
    EXPECT_EQ(error_of(parts), "m-00002-of-00003.gguf: its keys say part 2 of 7 of a split model (mixed downloads?)");
    parts = three_parts();
    parts[2].version = 2;
    EXPECT_EQ(error_of(parts), "m-00003-of-00003.gguf: GGUF version 2, the first part has 3 (mixed downloads?)");
    parts = three_parts();
    parts[0].keys[2].payload = test::raw_bytes(int32_t{4});
    EXPECT_EQ(error_of(parts), "m-00001-of-00003.gguf: the 3 parts hold 3 tensors, key split.tensors.count says 4");
}

TEST(Split, ATensorInTwoParts) {
    auto parts = three_parts();
    parts[2].tensors[0].name = "t0";
    EXPECT_EQ(error_of(parts), "m-00003-of-00003.gguf: tensor t0 is there twice");
}

TEST(Split, KeysAreChecked) {
    TempDir dir;
    dir.write("m.gguf", part(9, 2, 0).bytes());
    EXPECT_EQ(error_of(dir, "m.gguf"), "m.gguf: key split.no: part 9 of 2 does not exist");
    dir.write("m.gguf", part(0, 65535, 0).bytes());
    EXPECT_EQ(error_of(dir, "m.gguf"), "m.gguf: key split.count: 65535 parts, the limit is 9999");
    dir.write("m.gguf", part(0, 2, -1).bytes());
    EXPECT_EQ(error_of(dir, "m.gguf"), "m.gguf: key split.tensors.count: -1 is negative");
    dir.write("m.gguf", GgufWriter().set<uint16_t>("split.count", 2).bytes());
    EXPECT_EQ(error_of(dir, "m.gguf"), "m.gguf: key split.no is missing");
    dir.write("m.gguf", part(0, 2, 0).bytes());
    EXPECT_EQ(error_of(dir, "m.gguf"),
              "m.gguf: the first of the 2 parts of a split model, but its name does not end with -00001-of-00002.gguf "
              "(rename it)");
}

TEST(Split, ErrorsOfASingleFileNameItsPath) {
    TempDir dir;
    dir.write("m.gguf", "GGUF");
    EXPECT_TRUE(error_of(dir, "m.gguf").starts_with("m.gguf: the file ends inside the version"));
    EXPECT_EQ(error_of(dir, "none.gguf"), "none.gguf: cannot open: No such file or directory");
}

TEST(Split, APartInMemoryIsRefused) {
    std::string bytes = three_parts()[0].bytes();
    auto file = ModelFile::from_bytes(test::as_bytes(bytes));
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().message, "a part of a split model (one of 3)");
}

}  // namespace
}  // namespace godwit
