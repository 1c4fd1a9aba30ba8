// What becomes of memory that is freed.
#pragma once

namespace minimind {

/// For the start of main: freed memory is kept for the next matrix. By default glibc gives large blocks back to the
/// system, and every layer would fault its pages in again (docs/decisions/005). Does nothing with another C library.
void keep_freed_memory();

}  // namespace minimind
