// Memory of the device (ibv_alloc_dm): programs copy into it and out of it, and requests address it through a region of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class DeviceMemory {
  vb_ibv_dm handle_;  // first member: of() relies on it

 public:
  // Bytes of it that can be had through one context.
  static constexpr uint64_t kSize = 256 * 1024;

  static DeviceMemory &of(vb_ibv_dm *dm) { return *reinterpret_cast<DeviceMemory *>(dm); }

  // The operations of a context. NULL with errno, or an errno value.
  static vb_ibv_dm *allocate(vb_ibv_context *context, vb_ibv_alloc_dm_attr *attributes);
  static int release(vb_ibv_dm *dm);
  // A region over `length` bytes behind the first `offset`. Its addresses begin at 0: `access` says VB_IBV_ACCESS_ZERO_BASED.
  static vb_ibv_mr *registerRegion(vb_ibv_pd *pd, vb_ibv_dm *dm, uint64_t offset, size_t length, unsigned access);

  uint32_t users = 0;  // regions

 private:
  DeviceMemory(vb_ibv_context *context, size_t length);
  bool has(uint64_t offset, uint64_t length) const { return offset <= bytes_.size() && length <= bytes_.size() - offset; }
  static int copyIn(vb_ibv_dm *dm, uint64_t offset, const void *from, size_t length);
  static int copyOut(void *to, vb_ibv_dm *dm, uint64_t offset, size_t length);

  std::vector<uint8_t> bytes_;
};

}  // namespace fabricsim
