// What a piece of code throws, so that a test can look at every part of an error.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "console/errors.hpp"
#include "support/text.hpp"

namespace minimind {

/// The error that `action` throws, as the user sees it without colour; "" if it throws none.
inline std::string thrown(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        CHECK(error.exit_code() == 2);  // everything tested here is bad usage or input
        return error_text(error, Paint(false));
    }
    return "";
}

}  // namespace minimind
