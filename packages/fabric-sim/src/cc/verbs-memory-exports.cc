// libibverbs: protection domains and memory regions.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "export.h"
#include "hca/device-memory.h"
#include "hca/hca.h"
#include "hca/pinned-memory.h"
#include "hca/protection.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

namespace {

constexpr uint64_t kPage = 4096;
constexpr int kKnownAccess = VB_IBV_ACCESS_LOCAL_WRITE | VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_READ | VB_IBV_ACCESS_REMOTE_ATOMIC;
// What asks for nothing that a simulator could give: the size of the pages, and everything optional.
constexpr int kIgnoredAccess = VB_IBV_ACCESS_HUGETLB | ~(VB_IBV_ACCESS_RELAXED_ORDERING - 1);

uint64_t pagesOf(uint64_t address, uint64_t length) {
  return ((address + length + kPage - 1) & ~(kPage - 1)) - (address & ~(kPage - 1));
}

bool isMapped(uint64_t address, uint64_t length) {
  uint64_t first = address & ~(kPage - 1);
  uint64_t bytes = pagesOf(address, length);
  std::vector<unsigned char> map(65536);
  while (bytes > 0) {
    uint64_t part = std::min<uint64_t>(bytes, map.size() * kPage);
    if (mincore(reinterpret_cast<void *>(first), part, map.data()) != 0) return false;
    first += part;
    bytes -= part;
  }
  return true;
}

// 0, or the errno value with which such a region is refused.
int checkRegion(uint64_t from, size_t length, uint64_t iova, int access) {
  if ((access & ~kKnownAccess) != 0) return EOPNOTSUPP;
  // Who lets others write lets itself write (IBA 10.6.6.3.2); the page offset of both addresses is the same.
  bool isRemotelyWritten = (access & (VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  if (isRemotelyWritten && (access & VB_IBV_ACCESS_LOCAL_WRITE) == 0) return EINVAL;
  if (length == 0 || from + length < from || iova + length < iova || ((from ^ iova) & (kPage - 1)) != 0) return EINVAL;
  return isMapped(from, length) ? 0 : EFAULT;
}

vb_ibv_mr *registerRegion(vb_ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  auto fail = [](int error) {
    errno = error;
    return nullptr;
  };
  auto from = reinterpret_cast<uint64_t>(address);
  access &= ~kIgnoredAccess;
  if (int error = checkRegion(from, length, iova, access)) return fail(error);
  Lock lock = Process::get().lock();
  VerbsContext &context = VerbsContext::of(pd->context);
  uint64_t pinned = pagesOf(from, length);
  if (!pin(pinned)) return fail(ENOMEM);
  auto region = std::make_unique<MemoryRegion>();
  *region = {{pd->context, pd, address, length, 0, 0, 0}, &context.device().hca(), iova, access, pinned};
  ++ProtectionDomain::of(pd).users;
  uint32_t key = region->hca->addRegion(lock, *region);
  if (key == 0) {
    unpin(pinned);
    --ProtectionDomain::of(pd).users;
    return fail(context.device().client().isLost() ? EIO : ENOMEM);
  }
  region->handle.handle = region->handle.lkey = region->handle.rkey = key;
  return &region.release()->handle;
}

}  // namespace

FABRICSIM_EXPORT vb_ibv_pd *ibv_alloc_pd(vb_ibv_context *context) {
  Lock lock = Process::get().lock();
  ++VerbsContext::of(context).users;
  return &(new ProtectionDomain{{context, 0}, 0})->handle;
}

FABRICSIM_EXPORT int ibv_dealloc_pd(vb_ibv_pd *pd) {
  Lock lock = Process::get().lock();
  if (ProtectionDomain::of(pd).users > 0) return EBUSY;
  VerbsContext &context = VerbsContext::of(pd->context);
  delete &ProtectionDomain::of(pd);
  context.release();
  return 0;
}

FABRICSIM_EXPORT vb_ibv_mr *ibv_reg_mr(vb_ibv_pd *pd, void *address, size_t length, int access) {
  return registerRegion(pd, address, length, reinterpret_cast<uint64_t>(address), access);
}

FABRICSIM_EXPORT vb_ibv_mr *ibv_reg_mr_iova(vb_ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  return registerRegion(pd, address, length, iova, access);
}

FABRICSIM_EXPORT vb_ibv_mr *ibv_reg_mr_iova2(vb_ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
  return registerRegion(pd, address, length, iova, static_cast<int>(access));
}

// Changes a region in place: its keys stay.
FABRICSIM_EXPORT int ibv_rereg_mr(vb_ibv_mr *mr, int flags, vb_ibv_pd *pd, void *address, size_t length, int access) {
  auto fail = [](int error) {
    errno = error;
    return VB_IBV_REREG_MR_ERR_INPUT;
  };
  constexpr int kKnown = VB_IBV_REREG_MR_CHANGE_TRANSLATION | VB_IBV_REREG_MR_CHANGE_PD | VB_IBV_REREG_MR_CHANGE_ACCESS;
  if (flags == 0 || (flags & ~kKnown) != 0) return fail(EINVAL);
  MemoryRegion &region = MemoryRegion::of(mr);
  bool isMoved = (flags & VB_IBV_REREG_MR_CHANGE_TRANSLATION) != 0;
  if (region.deviceMemory != nullptr) return fail(EINVAL);
  if ((flags & VB_IBV_REREG_MR_CHANGE_PD) == 0) pd = mr->pd;
  if (pd == nullptr || pd->context != mr->context) return fail(EINVAL);
  access = (flags & VB_IBV_REREG_MR_CHANGE_ACCESS) != 0 ? access & ~kIgnoredAccess : region.access;
  if (!isMoved) {
    address = mr->addr;
    length = mr->length;
  }
  auto from = reinterpret_cast<uint64_t>(address);
  uint64_t iova = isMoved ? from : region.iova;
  if (int error = checkRegion(from, length, iova, access)) return fail(error);
  Lock lock = Process::get().lock();
  uint64_t pinned = pagesOf(from, length);
  if (!pin(pinned, region.pinned)) return fail(ENOMEM);
  --ProtectionDomain::of(mr->pd).users;
  ++ProtectionDomain::of(pd).users;
  mr->pd = pd;
  mr->addr = address;
  mr->length = length;
  region.iova = iova;
  region.access = access;
  region.pinned = pinned;
  return 0;
}

FABRICSIM_EXPORT int ibv_dereg_mr(vb_ibv_mr *mr) {
  Lock lock = Process::get().lock();
  std::unique_ptr<MemoryRegion> region(&MemoryRegion::of(mr));
  region->hca->removeRegion(*region);
  if (region->deviceMemory != nullptr) --region->deviceMemory->users;
  unpin(region->pinned);
  --ProtectionDomain::of(mr->pd).users;
  return 0;
}
