// libedit, loaded when it is first needed.
#pragma once

#include <histedit.h>

namespace minimind {

/// The functions of libedit that are used here, under their own names.
struct EditLibrary {
    decltype(&::el_init) el_init = nullptr;
    decltype(&::el_end) el_end = nullptr;
    decltype(&::el_gets) el_gets = nullptr;
    decltype(&::el_set) el_set = nullptr;
    decltype(&::el_get) el_get = nullptr;
    decltype(&::el_resize) el_resize = nullptr;
    decltype(&::el_line) el_line = nullptr;
    decltype(&::el_insertstr) el_insertstr = nullptr;
    decltype(&::history_init) history_init = nullptr;
    decltype(&::history_end) history_end = nullptr;
    decltype(&::history) history = nullptr;
};

/// Loads libedit at the first call; null if it is not installed.
const EditLibrary* edit_library();

}  // namespace minimind
