// Reads tests/golden/ops/*.txt (made by tools/oracle/make_ops.py) onto a device.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "backend/ops_fixture.hpp"

namespace godwit {

/// The tensors of one file by name.
inline std::map<std::string, View> read_golden(OpsBench& bench, const std::string& name) {
    std::ifstream file(std::string(GODWIT_TEST_DATA) + "/golden/ops/" + name + ".txt");
    std::map<std::string, View> tensors;
    std::string line, key, type;
    while (std::getline(file, line)) {
        std::istringstream head(line);
        head >> key >> type;
        Shape shape;
        for (int64_t extent; head >> extent;) shape.push_back(extent);
        std::vector<float> values(shape.elements());
        for (float& value : values) file >> value;
        CHECK(file.ignore().good());  // the end of the line
        tensors[key] = type == "f32" ? bench.floats(shape, values)
                                     : bench.ints(shape, std::vector<int32_t>(values.begin(), values.end()));
    }
    CHECK(!tensors.empty());
    return tensors;
}

}  // namespace godwit
