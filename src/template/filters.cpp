#include "template/filters.hpp"

namespace godwit::jinja {

const Filter* find_filter(std::string_view name) {
    for (auto table :
         {text_filters(), markup_filters(), sequence_filters(), selection_filters(), conversion_filters()}) {
        for (const Filter& filter : table) {
            if (filter.name == name) return &filter;
        }
    }
    return nullptr;
}

}  // namespace godwit::jinja
