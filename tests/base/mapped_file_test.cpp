#include "base/mapped_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "file/temp_dir.hpp"

namespace godwit {
namespace {

std::string text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheWholeFile) {
    test::TempDir dir;
    std::string content(10'000, 'x');
    content += "end";
    auto file = MappedFile::open(dir.write("f", content));
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(text_of(file.value()), content);
    EXPECT_EQ(file.value().path(), dir.path("f"));
}

TEST(MappedFile, OutlivesTheName) {
    test::TempDir dir;
    auto file = MappedFile::open(dir.write("f", "still here"));
    ASSERT_TRUE(file.ok());
    std::filesystem::remove(dir.path("f"));
    EXPECT_EQ(text_of(file.value()), "still here");
}

TEST(MappedFile, MovesLeaveOneOwner) {
    test::TempDir dir;
    auto a = MappedFile::open(dir.write("a", "aaa"));
    auto b = MappedFile::open(dir.write("b", "bb"));
    ASSERT_TRUE(a.ok() && b.ok());
    MappedFile moved = std::move(a.value());
    EXPECT_EQ(text_of(moved), "aaa");
    EXPECT_TRUE(a.value().bytes().empty());  // NOLINT: a moved-from mapping is empty, by its contract
    moved = std::move(b.value());
    EXPECT_EQ(text_of(moved), "bb");
}

std::string error_of(const std::string& path) {
    auto file = MappedFile::open(path);
    return file.ok() ? "" : file.error().message;
}

TEST(MappedFile, ErrorsNameThePath) {
    test::TempDir dir;
    EXPECT_EQ(error_of(dir.path("no")), dir.path("no") + ": cannot open: No such file or directory");
    EXPECT_EQ(error_of(dir.path(".")), dir.path(".") + ": not a regular file");
    EXPECT_EQ(error_of(dir.write("empty", "")), dir.path("empty") + ": the file is empty (truncated download?)");
}

TEST(MappedFile, AFifoIsRefusedAtOnce) {
    test::TempDir dir;
    ASSERT_EQ(::mkfifo(dir.path("fifo").c_str(), 0600), 0);
    EXPECT_EQ(error_of(dir.path("fifo")), dir.path("fifo") + ": not a regular file");
}

}  // namespace
}  // namespace godwit
