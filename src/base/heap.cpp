#include "base/heap.hpp"

#include <malloc.h>

namespace godwit {

uint64_t heap_bytes() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

}  // namespace godwit
