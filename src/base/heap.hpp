// What this process has taken from malloc.
#pragma once

#include <cstdint>

namespace godwit {

/// Bytes in use on the heap, of all threads; 0 under a sanitizer, whose malloc does not tell.
uint64_t heap_bytes();

}  // namespace godwit
