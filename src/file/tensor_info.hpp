// One named tensor of a model file, whatever the container.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace godwit {

struct TensorInfo {
    std::string_view name;
    DType dtype{};
    Shape shape;                      // outermost first
    std::span<const std::byte> data;  // in the mapping; exactly rows × row bytes
};

}  // namespace godwit
