# What `cmake --install` puts where: the program, the library with its headers, and how CMake finds them.
include(CMakePackageConfigHelpers)

install(TARGETS godwit RUNTIME DESTINATION bin)
install(TARGETS libgodwit EXPORT godwit ARCHIVE DESTINATION lib)
install(FILES include/godwit/engine.hpp include/godwit/types.hpp DESTINATION include/godwit)

write_basic_package_version_file(${CMAKE_BINARY_DIR}/godwitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT godwit NAMESPACE godwit:: FILE godwitTargets.cmake DESTINATION lib/cmake/godwit)
install(FILES cmake/godwitConfig.cmake ${CMAKE_BINARY_DIR}/godwitConfigVersion.cmake DESTINATION lib/cmake/godwit)
