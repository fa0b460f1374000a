#pragma once

#include <string>

namespace verbena {

// A shared library opened by path or by name. Never unloaded: the libraries we open may own threads and atexit handlers, and another
// environment of the process may be using the same one.
class DynamicLibrary {
 public:
  // False leaves the loader's own words in error().
  bool Open(const std::string& path);

  // The symbol of exactly that version; an empty version asks for the default one. NULL if there is none.
  void* Resolve(const char* name, const char* version) const;

  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }

 private:
  void* handle_ = nullptr;
  std::string path_;
  std::string error_;
};

}  // namespace verbena
