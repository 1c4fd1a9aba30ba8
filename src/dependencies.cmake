# What the project links. Everything is in Debian and Ubuntu; labs/run installs it.

find_package(OpenMP REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

# Armadillo is used header-only against OpenBLAS itself: its wrapper library would load ARPACK, SuperLU and more at
# every start of a program that should be up in milliseconds.
find_path(ARMADILLO_INCLUDE_DIR armadillo REQUIRED)

# OpenBLAS's OpenMP build, so that its loops and ours share one pool of threads; static, so that no alternatives system
# can swap it and no loader has to find it. Another build works too; our loops then stay on one thread (see
# core/threads.cpp), because two pools would fight for the same cores.
find_library(OPENBLAS_LIBRARY
  NAMES libopenblas.a
  PATH_SUFFIXES openblas-openmp
  NO_DEFAULT_PATH
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib /usr/local/lib)
if(NOT OPENBLAS_LIBRARY)
  find_library(OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-openmp openblas-pthread REQUIRED)
endif()
find_path(OPENBLAS_INCLUDE_DIR cblas.h
  PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp openblas-openmp ${CMAKE_LIBRARY_ARCHITECTURE} openblas
  REQUIRED)
message(STATUS "OpenBLAS: ${OPENBLAS_LIBRARY}")

add_library(minimind_armadillo INTERFACE)
target_include_directories(minimind_armadillo SYSTEM INTERFACE ${ARMADILLO_INCLUDE_DIR} ${OPENBLAS_INCLUDE_DIR})
target_compile_definitions(minimind_armadillo INTERFACE
  ARMA_DONT_USE_WRAPPER ARMA_USE_BLAS ARMA_DONT_USE_LAPACK ARMA_DONT_USE_ARPACK ARMA_DONT_USE_SUPERLU
  ARMA_DONT_USE_HDF5 ARMA_DONT_USE_OPENMP ARMA_WARN_LEVEL=0)
target_link_libraries(minimind_armadillo INTERFACE ${OPENBLAS_LIBRARY} OpenMP::OpenMP_CXX m)
# Debian's static OpenBLAS contains LAPACK's Fortran objects; the linker needs this library only if one is pulled in.

# Unicode: how many terminal cells a character takes, and normal forms.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc REQUIRED)

# PCRE2 (regular expressions with Unicode classes), for the tokenizer. Static where there is an archive, so that a
# program that never needs it does not wait for the loader.
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY NAMES libpcre2-8.a pcre2-8 REQUIRED)
add_library(minimind_pcre2 INTERFACE)
target_include_directories(minimind_pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE_DIR})
target_link_libraries(minimind_pcre2 INTERFACE ${PCRE2_LIBRARY})
add_library(minimind_utf8proc INTERFACE)
target_include_directories(minimind_utf8proc SYSTEM INTERFACE ${UTF8PROC_INCLUDE_DIR})
target_link_libraries(minimind_utf8proc INTERFACE ${UTF8PROC_LIBRARY})

# libzip reads the zip file that a .pth is. It brings OpenSSL along, which takes the loader 2 ms at every start; so it is
# loaded when the first .pth is opened (io/zip_library.cpp), and only its headers and its name are needed here.
find_path(LIBZIP_INCLUDE_DIR zip.h)
find_path(LIBZIP_CONFIG_DIR zipconf.h PATH_SUFFIXES libzip/include lib/libzip/include)
find_library(LIBZIP_LIBRARY zip)
if(NOT LIBZIP_INCLUDE_DIR OR NOT LIBZIP_CONFIG_DIR OR NOT LIBZIP_LIBRARY)
  message(FATAL_ERROR "libzip is missing: install libzip-dev (Debian, Ubuntu)")
endif()
get_filename_component(LIBZIP_FILE ${LIBZIP_LIBRARY} REALPATH)
string(REGEX MATCH "libzip\\.so\\.[0-9]+" LIBZIP_NAME ${LIBZIP_FILE})
if(NOT LIBZIP_NAME)
  set(LIBZIP_NAME ${LIBZIP_FILE})
endif()
add_library(minimind_libzip INTERFACE)
target_include_directories(minimind_libzip SYSTEM INTERFACE ${LIBZIP_INCLUDE_DIR} ${LIBZIP_CONFIG_DIR})
target_compile_definitions(minimind_libzip INTERFACE MINIMIND_LIBZIP="${LIBZIP_NAME}")
target_link_libraries(minimind_libzip INTERFACE ${CMAKE_DL_LIBS})

# md4c parses the lessons' Markdown. It takes the loader less than a tenth of a millisecond.
find_path(MD4C_INCLUDE_DIR md4c.h)
find_library(MD4C_LIBRARY md4c)
if(NOT MD4C_INCLUDE_DIR OR NOT MD4C_LIBRARY)
  message(FATAL_ERROR "md4c is missing: install libmd4c-dev (Debian, Ubuntu)")
endif()
add_library(minimind_md4c INTERFACE)
target_include_directories(minimind_md4c SYSTEM INTERFACE ${MD4C_INCLUDE_DIR})
target_link_libraries(minimind_md4c INTERFACE ${MD4C_LIBRARY})

# libedit edits the line at the stepper's prompt. It is loaded when the first prompt is shown (stepper/edit_library.cpp),
# so that only its header and its name are needed here.
find_path(LIBEDIT_INCLUDE_DIR histedit.h)
find_library(LIBEDIT_LIBRARY edit)
if(NOT LIBEDIT_INCLUDE_DIR OR NOT LIBEDIT_LIBRARY)
  message(FATAL_ERROR "libedit is missing: install libedit-dev (Debian, Ubuntu)")
endif()
get_filename_component(LIBEDIT_FILE ${LIBEDIT_LIBRARY} REALPATH)
string(REGEX MATCH "libedit\\.so\\.[0-9]+" LIBEDIT_NAME ${LIBEDIT_FILE})
if(NOT LIBEDIT_NAME)
  set(LIBEDIT_NAME ${LIBEDIT_FILE})
endif()
add_library(minimind_libedit INTERFACE)
target_include_directories(minimind_libedit SYSTEM INTERFACE ${LIBEDIT_INCLUDE_DIR})
target_compile_definitions(minimind_libedit INTERFACE MINIMIND_LIBEDIT="${LIBEDIT_NAME}")
target_link_libraries(minimind_libedit INTERFACE ${CMAKE_DL_LIBS})
