// open() for the paths of umad_get_issm_path; every other path goes on to the next definition, normally the C library's.
#include <dlfcn.h>
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>

#include "export.h"
#include "issm-file.h"
#include "raw-open.h"

namespace {

using OpenFn = int (*)(const char *, int, ...);

// The next definition of `name`, looked up once; programs open files before constructors have run.
int forward(const char *name, std::atomic<OpenFn> &cache, const char *path, int flags, mode_t mode) {
  OpenFn next = cache.load(std::memory_order_acquire);
  if (next == nullptr) {
    next = reinterpret_cast<OpenFn>(dlsym(RTLD_NEXT, name));
    if (next == nullptr) return fabricsim::rawOpen(path, flags, mode);
    cache.store(next, std::memory_order_release);
  }
  return next(path, flags, mode);
}

int openFile(const char *name, std::atomic<OpenFn> &cache, const char *path, int flags, mode_t mode) {
  if (path != nullptr) {
    bool isOurs = false;
    int saved = errno;
    int fd = fabricsim::IssmFile::open(path, flags, isOurs);
    if (isOurs) return fd;
    errno = saved;
  }
  return forward(name, cache, path, flags, mode);
}

std::atomic<OpenFn> nextOpen;
std::atomic<OpenFn> nextOpen64;

mode_t modeArgument(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

FABRICSIM_EXPORT int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = modeArgument(flags, arguments);
  va_end(arguments);
  return openFile("open", nextOpen, path, flags, mode);
}

FABRICSIM_EXPORT int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = modeArgument(flags, arguments);
  va_end(arguments);
  return openFile("open64", nextOpen64, path, flags | O_LARGEFILE, mode);
}

// What fortified programs call for an open() without O_CREAT.
FABRICSIM_EXPORT int __open_2(const char *path, int flags) { return openFile("open", nextOpen, path, flags, 0); }
FABRICSIM_EXPORT int __open64_2(const char *path, int flags) {
  return openFile("open64", nextOpen64, path, flags | O_LARGEFILE, 0);
}
