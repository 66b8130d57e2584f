// Reading what the kernel says in small files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace godwit {

/// The first line of a file, without its end; empty where there is none to read.
inline std::string first_line(const std::filesystem::path& path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
}

}  // namespace godwit
