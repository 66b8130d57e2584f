// Budgets of one rendering.
#pragma once

#include <cstddef>

namespace godwit {

struct TemplateLimits {
    size_t steps = 4'000'000;  // nodes evaluated, items visited
    size_t output_bytes = size_t{32} << 20;
    size_t memory_bytes = size_t{256} << 20;  // everything that the rendering ever creates
    int depth = 1'000;                        // nested evaluations: a macro that calls itself takes about five a call
};

}  // namespace godwit
