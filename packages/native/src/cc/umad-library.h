#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dynamic-library.h"
#include "verbena/ibumad-abi.h"

namespace verbena {

// The functions of libibumad; NULL where an older library has none. Tests fill one by hand.
struct UmadFunctions {
#define VERBENA_MEMBER(name, version, result, arguments) vb_##name##_fn name = nullptr;
  VB_IBUMAD_FUNCTIONS(VERBENA_MEMBER)
#undef VERBENA_MEMBER
};

// One port as libibumad describes it, in host form.
struct UmadPortDescription {
  std::string device;
  uint64_t node_guid = 0;
  int port_count = 0;
  int port = 0;
  uint64_t port_guid = 0;
  uint64_t gid_prefix = 0;
  unsigned lid = 0;
  unsigned lmc = 0;
  unsigned sm_lid = 0;
  unsigned sm_sl = 0;
  unsigned state = 0;
  unsigned phys_state = 0;
  unsigned rate = 0;
  uint32_t capability_mask = 0;
  std::vector<uint16_t> pkeys;
  std::string link_layer;
};

// Loaded libibumad (or the simulator's library, which exports the same functions).
class UmadLibrary {
 public:
  // False leaves the reason in error().
  bool Open(const std::string& path);

  const UmadFunctions& fn() const { return functions_; }
  const std::string& path() const { return library_.path(); }
  const std::string& error() const { return error_; }

  // All ports of all devices, in the library's order. At most 32 devices: the limit of umad_get_cas_names.
  std::vector<UmadPortDescription> ListPorts() const;
  // False if the device or port is gone.
  bool QueryPort(const std::string& device, int port, UmadPortDescription* out) const;

 private:
  DynamicLibrary library_;
  UmadFunctions functions_;
  std::string error_;
};

// The errno of a failed umad call. Releases differ: some return -errno, some a generic -EIO, -EPERM or -1 and leave the cause in errno.
int UmadErrno(int result, int saved_errno);

}  // namespace verbena
