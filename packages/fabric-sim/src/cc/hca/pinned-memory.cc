#include "hca/pinned-memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace fabricsim {

namespace {

// Bytes this process may register; as the kernel, no limit for those who may lock any memory.
uint64_t lockedMemoryLimit() {
  if (const char *given = getenv("FABRICSIM_MEMLOCK")) return strtoull(given, nullptr, 10);
  struct rlimit limit = {};
  if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t pinnedBytes = 0;

}  // namespace

bool pin(uint64_t bytes, uint64_t released) {
  uint64_t others = pinnedBytes - released;
  uint64_t limit = lockedMemoryLimit();
  if (bytes > limit || others > limit - bytes) return false;
  pinnedBytes = others + bytes;
  return true;
}

void unpin(uint64_t bytes) { pinnedBytes -= bytes; }

}  // namespace fabricsim
