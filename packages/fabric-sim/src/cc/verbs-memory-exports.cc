// libibverbs: protection domains and memory regions.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "export.h"
#include "hca/hca.h"
#include "hca/protection.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

namespace {

constexpr uint64_t kPage = 4096;
constexpr int kKnownAccess = VB_IBV_ACCESS_LOCAL_WRITE | VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_READ | VB_IBV_ACCESS_REMOTE_ATOMIC;

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

// Bytes this process may register; as the kernel, no limit for those who may lock any memory. FABRICSIM_MEMLOCK sets one for everybody.
uint64_t lockedMemoryLimit() {
  if (const char *given = getenv("FABRICSIM_MEMLOCK")) return strtoull(given, nullptr, 10);
  struct rlimit limit = {};
  if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t pinnedBytes = 0;  // of this process; under the process lock

vb_ibv_mr *registerRegion(vb_ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  auto fail = [](int error) {
    errno = error;
    return nullptr;
  };
  auto from = reinterpret_cast<uint64_t>(address);
  access &= VB_IBV_ACCESS_RELAXED_ORDERING - 1;
  if ((access & ~kKnownAccess) != 0) return fail(EOPNOTSUPP);
  // Who lets others write lets itself write (IBA 10.6.6.3.2); the page offset of both addresses is the same.
  bool isRemotelyWritten = (access & (VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  if (isRemotelyWritten && (access & VB_IBV_ACCESS_LOCAL_WRITE) == 0) return fail(EINVAL);
  if (length == 0 || from + length < from || iova + length < iova || ((from ^ iova) & (kPage - 1)) != 0) return fail(EINVAL);
  if (!isMapped(from, length)) return fail(EFAULT);
  Lock lock = Process::get().lock();
  VerbsContext &context = VerbsContext::of(pd->context);
  uint64_t pinned = pagesOf(from, length);
  uint64_t limit = lockedMemoryLimit();
  if (pinned > limit || pinnedBytes > limit - pinned) return fail(ENOMEM);
  auto region = std::make_unique<MemoryRegion>();
  *region = {{pd->context, pd, address, length, 0, 0, 0}, &context.device().hca(), iova, access, pinned};
  pinnedBytes += pinned;
  ++ProtectionDomain::of(pd).users;
  uint32_t key = region->hca->addRegion(lock, *region);
  if (key == 0) {
    pinnedBytes -= pinned;
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
  --VerbsContext::of(pd->context).users;
  delete &ProtectionDomain::of(pd);
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

FABRICSIM_EXPORT int ibv_dereg_mr(vb_ibv_mr *mr) {
  Lock lock = Process::get().lock();
  std::unique_ptr<MemoryRegion> region(&MemoryRegion::of(mr));
  region->hca->removeRegion(mr->lkey);
  pinnedBytes -= region->pinned;
  --ProtectionDomain::of(mr->pd).users;
  return 0;
}
