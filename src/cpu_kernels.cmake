# The files of backend/cpu/isa/, each compiled for its instruction set. Optimised in every build: a sanitizer's build would spend its minutes in them.
# -fno-tree-ter: else g++ computes all products of a block before it adds any, and spills them.
# -Wno-maybe-uninitialized: g++ 12's own AVX-512 headers.
# -fno-sanitize=…: UBSan's checks of every address take minutes and gigabytes in unrolled loops; ASan looks at what is read and written.
set(kernel_flags -O3)
set(scalar_flags -Os)  # -O3 takes minutes
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND kernel_flags -fno-tree-ter -Wno-maybe-uninitialized)
else()
    list(APPEND kernel_flags -fno-sanitize=alignment,null,pointer-overflow,object-size)
    list(APPEND scalar_flags -fno-sanitize=alignment,null,pointer-overflow,object-size)
endif()
set(avx2_flags ${kernel_flags} -mavx2 -mfma -mf16c)
set(avx512_flags ${avx2_flags} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni)
set_source_files_properties(backend/cpu/isa/scalar.cpp PROPERTIES COMPILE_OPTIONS "${scalar_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(backend/cpu/isa/avx2.cpp PROPERTIES COMPILE_OPTIONS "${avx2_flags}")
    set_source_files_properties(backend/cpu/isa/avx512.cpp PROPERTIES COMPILE_OPTIONS "${avx512_flags}")
else()
    set_source_files_properties(backend/cpu/isa/avx2.cpp backend/cpu/isa/avx512.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
