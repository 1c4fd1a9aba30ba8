#include "stepper/edit_library.hpp"

#include <dlfcn.h>

#include <optional>

namespace minimind {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::optional<EditLibrary> load() {
    void* const library = dlopen(MINIMIND_LIBEDIT, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    EditLibrary edit;
    const bool is_complete = find(library, "el_init", edit.el_init) && find(library, "el_end", edit.el_end) &&
                             find(library, "el_gets", edit.el_gets) && find(library, "el_set", edit.el_set) &&
                             find(library, "el_get", edit.el_get) && find(library, "el_resize", edit.el_resize) &&
                             find(library, "el_line", edit.el_line) &&
                             find(library, "el_insertstr", edit.el_insertstr) &&
                             find(library, "history_init", edit.history_init) &&
                             find(library, "history_end", edit.history_end) && find(library, "history", edit.history);
    if (!is_complete) return std::nullopt;
    return edit;
}

}  // namespace

const EditLibrary* edit_library() {
    static const std::optional<EditLibrary> library = load();
    return library ? &*library : nullptr;
}

}  // namespace minimind
