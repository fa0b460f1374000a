#include "hca/device-memory.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include "hca/hca.h"
#include "hca/protection.h"
#include "none.h"
#include "process.h"
#include "verbs-context.h"

namespace fabricsim {

namespace {

constexpr unsigned kRegionAccess = VB_IBV_ACCESS_LOCAL_WRITE | VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_READ |
                                   VB_IBV_ACCESS_REMOTE_ATOMIC | VB_IBV_ACCESS_ZERO_BASED;
// Larger alignments than that of all allocations are not offered.
constexpr uint32_t kLogAlignment = 4;

}  // namespace

DeviceMemory::DeviceMemory(vb_ibv_context *context, size_t length) : handle_{context, copyIn, copyOut, 0, 0}, bytes_(length) {}

vb_ibv_dm *DeviceMemory::allocate(vb_ibv_context *context, vb_ibv_alloc_dm_attr *attributes) {
  if (attributes->comp_mask != 0 || attributes->length == 0 || attributes->log_align_req > kLogAlignment) return none<vb_ibv_dm>(EINVAL);
  Lock lock = Process::get().lock();
  VerbsContext &owner = VerbsContext::of(context);
  if (attributes->length > kSize - owner.deviceMemoryUsed) return none<vb_ibv_dm>(ENOMEM);
  owner.deviceMemoryUsed += attributes->length;
  ++owner.users;
  return &(new DeviceMemory(context, attributes->length))->handle_;
}

int DeviceMemory::release(vb_ibv_dm *dm) {
  Lock lock = Process::get().lock();
  std::unique_ptr<DeviceMemory> memory(&of(dm));
  if (memory->users > 0) {
    memory.release();
    return EBUSY;
  }
  VerbsContext &owner = VerbsContext::of(dm->context);
  owner.deviceMemoryUsed -= memory->bytes_.size();
  owner.release();
  return 0;
}

vb_ibv_mr *DeviceMemory::registerRegion(vb_ibv_pd *pd, vb_ibv_dm *dm, uint64_t offset, size_t length, unsigned access) {
  DeviceMemory &memory = of(dm);
  access &= VB_IBV_ACCESS_RELAXED_ORDERING - 1;
  bool isAllowed = (access & ~kRegionAccess) == 0 && (access & VB_IBV_ACCESS_ZERO_BASED) != 0;
  if (!isAllowed || length == 0 || !memory.has(offset, length)) return none<vb_ibv_mr>(EINVAL);
  Lock lock = Process::get().lock();
  VerbsContext &context = VerbsContext::of(pd->context);
  auto region = std::make_unique<MemoryRegion>();
  *region = {{pd->context, pd, memory.bytes_.data() + offset, length, 0, 0, 0}, &context.device().hca(), 0, static_cast<int>(access), 0, &memory};
  ++ProtectionDomain::of(pd).users;
  ++memory.users;
  uint32_t key = region->hca->addRegion(lock, *region);
  if (key == 0) {
    --memory.users;
    --ProtectionDomain::of(pd).users;
    return none<vb_ibv_mr>(context.device().client().isLost() ? EIO : ENOMEM);
  }
  region->handle.handle = region->handle.lkey = region->handle.rkey = key;
  return &region.release()->handle;
}

int DeviceMemory::copyIn(vb_ibv_dm *dm, uint64_t offset, const void *from, size_t length) {
  DeviceMemory &memory = of(dm);
  if (!memory.has(offset, length)) return EINVAL;
  memcpy(memory.bytes_.data() + offset, from, length);
  return 0;
}

int DeviceMemory::copyOut(void *to, vb_ibv_dm *dm, uint64_t offset, size_t length) {
  DeviceMemory &memory = of(dm);
  if (!memory.has(offset, length)) return EINVAL;
  memcpy(to, memory.bytes_.data() + offset, length);
  return 0;
}

}  // namespace fabricsim
