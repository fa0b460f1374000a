// Protection domains and memory regions: who may touch which bytes (IBA 10.2.3, 10.6).
#pragma once

#include <cstddef>
#include <cstdint>

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class DeviceMemory;
class Hca;

struct ProtectionDomain {
  vb_ibv_pd handle;  // first member: of() relies on it
  uint32_t users;    // regions, queue pairs, shared receive queues, address handles

  static ProtectionDomain &of(vb_ibv_pd *pd) { return *reinterpret_cast<ProtectionDomain *>(pd); }
};

struct MemoryRegion {
  vb_ibv_mr handle;  // first member: of() relies on it
  Hca *hca;
  uint64_t iova;     // address that work requests give for the first byte
  int access;
  size_t pinned;     // bytes counted against the limit on locked memory
  DeviceMemory *deviceMemory = nullptr;  // where the bytes are the device's

  static MemoryRegion &of(vb_ibv_mr *mr) { return *reinterpret_cast<MemoryRegion *>(mr); }

  // Where `length` bytes at `address` really are; NULL if they are not all inside.
  uint8_t *at(uint64_t address, uint64_t length) const {
    uint64_t offset = address - iova;
    if (address < iova || offset > handle.length || length > handle.length - offset) return nullptr;
    return static_cast<uint8_t *>(handle.addr) + offset;
  }
};

}  // namespace fabricsim
