#include "io/zip_library.hpp"

#include <dlfcn.h>

#include "core/error.hpp"

namespace minimind {

namespace {

Error not_loaded() {
    const char* const reason = dlerror();
    return Error("libzip, which reads .pth and .bin files, cannot be loaded")
        .at(MINIMIND_LIBZIP)
        .note(reason != nullptr ? reason : "it lacks a function")
        .help("install the package libzip4 (or libzip-dev)");
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw not_loaded();
}

ZipLibrary load() {
    void* const library = dlopen(MINIMIND_LIBZIP, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw not_loaded();
    ZipLibrary zip;
    find(library, "zip_source_buffer_create", zip.source_buffer_create);
    find(library, "zip_source_free", zip.source_free);
    find(library, "zip_open_from_source", zip.open_from_source);
    find(library, "zip_discard", zip.discard);
    find(library, "zip_get_num_entries", zip.get_num_entries);
    find(library, "zip_stat_index", zip.stat_index);
    find(library, "zip_name_locate", zip.name_locate);
    find(library, "zip_fopen_index", zip.fopen_index);
    find(library, "zip_fread", zip.fread);
    find(library, "zip_fclose", zip.fclose);
    find(library, "zip_strerror", zip.strerror);
    find(library, "zip_file_strerror", zip.file_strerror);
    find(library, "zip_error_init", zip.error_init);
    find(library, "zip_error_strerror", zip.error_strerror);
    find(library, "zip_error_fini", zip.error_fini);
    return zip;
}

}  // namespace

const ZipLibrary& zip_library() {
    static const ZipLibrary library = load();
    return library;
}

}  // namespace minimind
