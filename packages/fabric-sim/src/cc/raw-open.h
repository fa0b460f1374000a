// Opening files from inside this library, past its own wrapper of open().
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fabricsim {

inline int rawOpen(const char *path, int flags, unsigned mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace fabricsim
