// Reads numpy's file format as far as the goldens use it: float32, C order, two dimensions.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace godwit {

struct NpyMatrix {
    int64_t rows = 0, columns = 0;
    std::vector<float> values;
};

/// Empty if the file is not there or not of that form.
inline NpyMatrix read_npy(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    NpyMatrix matrix;
    if (bytes.size() < 10 || bytes.compare(1, 5, "NUMPY") != 0) return matrix;
    size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
    std::smatch shape;
    std::string dict = bytes.substr(10, header - 10);
    if (!std::regex_search(dict, shape, std::regex(R"('<f4'.*\((\d+), (\d+)\))"))) return matrix;
    matrix.rows = std::stoll(shape[1]);
    matrix.columns = std::stoll(shape[2]);
    matrix.values.resize(matrix.rows * matrix.columns);
    bytes.copy(reinterpret_cast<char*>(matrix.values.data()), matrix.values.size() * sizeof(float), header);
    return matrix;
}

}  // namespace godwit
