// The library's own function.
#include <cerrno>

#include "export.h"
#include "process.h"

// Attaches this process as `nodes` (a comma list) to the fabric in `directory`, in place of FABRICSIM_DIR and FABRICSIM_NODE.
// 0, or an errno value: EBUSY if the process is attached elsewhere, ENODEV if a node has no HCA, EPROTO if versions differ.
FABRICSIM_EXPORT int fabricsim_attach(const char *directory, const char *nodes) {
  if (directory == nullptr || *directory == '\0' || nodes == nullptr) return EINVAL;
  fabricsim::Process &process = fabricsim::Process::get();
  fabricsim::Lock lock = process.lock();
  return process.attachTo(directory, nodes);
}
