// libzip, loaded when it is first needed: most runs open no .pth, and should not wait for the loader.
#pragma once

#include <zip.h>

namespace minimind {

/// The functions of libzip that are used here, under their names without `zip_`.
struct ZipLibrary {
    decltype(&::zip_source_buffer_create) source_buffer_create = nullptr;
    decltype(&::zip_source_free) source_free = nullptr;
    decltype(&::zip_open_from_source) open_from_source = nullptr;
    decltype(&::zip_discard) discard = nullptr;
    decltype(&::zip_get_num_entries) get_num_entries = nullptr;
    decltype(&::zip_stat_index) stat_index = nullptr;
    decltype(&::zip_name_locate) name_locate = nullptr;
    decltype(&::zip_fopen_index) fopen_index = nullptr;
    decltype(&::zip_fread) fread = nullptr;
    decltype(&::zip_fclose) fclose = nullptr;
    decltype(&::zip_strerror) strerror = nullptr;
    decltype(&::zip_file_strerror) file_strerror = nullptr;
    decltype(&::zip_error_init) error_init = nullptr;
    decltype(&::zip_error_strerror) error_strerror = nullptr;
    decltype(&::zip_error_fini) error_fini = nullptr;
};

/// Loads libzip at the first call. Throws Error if it is not installed.
const ZipLibrary& zip_library();

}  // namespace minimind
