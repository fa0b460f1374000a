#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dynamic-library.h"
#include "verbena/ibverbs-abi.h"

namespace verbena {

// The functions of libibverbs; NULL where an older library has none. Tests fill one by hand.
struct VerbsFunctions {
#define VERBENA_MEMBER(name, version, result, arguments) vb_##name##_fn name = nullptr;
  VB_IBVERBS_CONTROL_FUNCTIONS(VERBENA_MEMBER)
  VB_IBVERBS_DATA_FUNCTIONS(VERBENA_MEMBER)
#undef VERBENA_MEMBER
};

struct VerbsDeviceDescription {
  std::string name;
  uint64_t node_guid = 0;
  int node_type = 0;
  int transport = 0;
};

// Loaded libibverbs (or the simulator's library, which exports the same functions).
class VerbsLibrary {
 public:
  // False leaves the reason in error().
  bool Open(const std::string& path);

  const VerbsFunctions& fn() const { return functions_; }
  const std::string& error() const { return error_; }
  // Name of a function that queue pairs and queues need and the library lacks, or NULL.
  const char* MissingDataFunction() const;

  // 0, or the errno with which the library has no list at all (ENOSYS: a kernel without RDMA).
  int ListDevices(std::vector<VerbsDeviceDescription>* out) const;
  // NULL with a positive errno in `error`; ENODEV if there is no such device.
  vb_ibv_context* OpenDevice(const std::string& name, int* error) const;
  // What the inline function ibv_query_port of verbs.h does: the extended operation where the context has one, else the exported
  // function, which fills only the older, shorter struct. 0 or a positive errno.
  int QueryPort(vb_ibv_context* context, uint8_t port, vb_ibv_port_attr* out) const;

 private:
  VerbsDeviceDescription Describe(vb_ibv_device* device) const;

  DynamicLibrary library_;
  VerbsFunctions functions_;
  std::string error_;
};

}  // namespace verbena
