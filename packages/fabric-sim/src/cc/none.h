// How functions of verbs that make an object say that they have made none.
#pragma once

#include <cerrno>

namespace fabricsim {

// NULL, and errno says why.
template <typename T>
T *none(int error) {
  errno = error;
  return nullptr;
}

}  // namespace fabricsim
