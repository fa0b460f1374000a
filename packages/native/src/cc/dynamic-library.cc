#include "dynamic-library.h"

#include <dlfcn.h>

namespace verbena {

bool DynamicLibrary::Open(const std::string& path) {
  path_ = path;
  // RTLD_NOW: a library that lacks one of its own dependencies must fail here, with a name, and not at its first call.
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return true;
  const char* reason = dlerror();
  error_ = reason != nullptr ? reason : path + ": cannot be opened";
  return false;
}

void* DynamicLibrary::Resolve(const char* name, const char* version) const {
  if (handle_ == nullptr) return nullptr;
  if (version == nullptr || *version == '\0') return dlsym(handle_, name);
  return dlvsym(handle_, name, version);
}

}  // namespace verbena
