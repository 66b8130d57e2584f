// The filters of a template: `value | name(arguments)`.
#pragma once

#include <span>
#include <string_view>

#include "template/runtime.hpp"

namespace godwit::jinja {

using FilterFunction = Result<Value> (*)(Runtime&, const Value& input, const Arguments&);

struct Filter {
    std::string_view name;
    FilterFunction apply;
};

/// nullptr: there is none of that name.
const Filter* find_filter(std::string_view name);

// One table a source file.
std::span<const Filter> text_filters();
std::span<const Filter> markup_filters();
std::span<const Filter> sequence_filters();
std::span<const Filter> selection_filters();
std::span<const Filter> conversion_filters();

}  // namespace godwit::jinja
