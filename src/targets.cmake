# How every target of the project is compiled, and the two functions that make one.

set(CMAKE_CXX_EXTENSIONS OFF)
add_library(minimind_options INTERFACE)
target_compile_features(minimind_options INTERFACE cxx_std_20)
target_include_directories(minimind_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
# The two -fno flags let the compiler vectorise loops with exp and comparisons; unlike -ffast-math they keep NaN and
# infinity, which the NaN checks of a trace need.
target_compile_options(minimind_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -fno-math-errno -fno-trapping-math
  $<$<BOOL:${MINIMIND_WERROR}>:-Werror>)
# GCC 12 takes some sums of strings for overflows (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(minimind_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
# Clang warns where it does not vectorise a loop that is marked for it; the loop is right all the same.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(minimind_options INTERFACE -Wno-pass-failed)
endif()
if(MINIMIND_WITHOUT_HOOKS)
  target_compile_definitions(minimind_options INTERFACE MINIMIND_WITHOUT_HOOKS)
endif()
if(MINIMIND_SANITIZE)
  target_compile_options(minimind_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(minimind_options INTERFACE -fsanitize=address,undefined)
endif()
if(MINIMIND_COVERAGE)
  target_compile_options(minimind_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(minimind_options INTERFACE --coverage)
endif()

# minimind_library(NAME DEPENDS a b ...): the folder's *.cpp as static library minimind_NAME. DEPENDS names the layers
# below; nothing else can be linked, so an include that points upwards fails to link.
function(minimind_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(minimind_${name} INTERFACE)
    foreach(layer IN LISTS ARG_DEPENDS)
      target_link_libraries(minimind_${name} INTERFACE minimind_${layer})
    endforeach()
    return()
  endif()
  add_library(minimind_${name} STATIC ${sources})
  target_link_libraries(minimind_${name} PUBLIC minimind_options minimind_armadillo fmt::fmt nlohmann_json::nlohmann_json)
  foreach(layer IN LISTS ARG_DEPENDS)
    target_link_libraries(minimind_${name} PUBLIC minimind_${layer})
  endforeach()
  minimind_precompile(minimind_${name})
endfunction()

# Armadillo takes 5 s of every compile; all targets share one precompiled copy of it.
function(minimind_precompile target)
  if(NOT MINIMIND_PCH)
    return()
  endif()
  if(TARGET minimind_core AND NOT target STREQUAL "minimind_core")
    target_precompile_headers(${target} REUSE_FROM minimind_core)
  else()
    target_precompile_headers(${target} PRIVATE <armadillo> <fmt/core.h> <nlohmann/json.hpp>
      <algorithm> <string> <vector>)
  endif()
endfunction()
