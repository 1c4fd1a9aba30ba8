#include "core/freed_memory.hpp"

#include <cstdlib>  // defines __GLIBC__ where it is glibc
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace minimind {

void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int one_gigabyte = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, one_gigabyte);
    mallopt(M_TRIM_THRESHOLD, one_gigabyte);
#endif
}

}  // namespace minimind
