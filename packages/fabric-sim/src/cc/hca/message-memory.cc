#include "hca/message-memory.h"

namespace fabricsim {

bool gather(const QueuePair &from, const SendRequest &request, Spans &spans) {
  if (request.inlined != nullptr) {
    spans.add(const_cast<uint8_t *>(request.inlined), request.length);
    return true;
  }
  if ((request.flags & VB_IBV_SEND_INLINE) != 0) {
    for (int i = 0; i < request.sgeCount; ++i) {
      spans.add(reinterpret_cast<uint8_t *>(request.sges[i].addr), request.sges[i].length);
    }
    return true;
  }
  return spans.add(from.hca(), from.pd(), request.sges, request.sgeCount, request.isRead() ? VB_IBV_ACCESS_LOCAL_WRITE : 0);
}

bool remoteBytes(const QueuePair &owner, uint64_t address, uint32_t rkey, uint64_t length, int permission, Spans &where) {
  if ((owner.attributes().qp_access_flags & static_cast<unsigned>(permission)) == 0) return false;
  if (length == 0) return true;
  const MemoryRegion *region = owner.hca().region(rkey);
  if (region == nullptr || region->handle.pd != owner.pd() || (region->access & permission) == 0) return false;
  uint8_t *bytes = region->at(address, length);
  if (bytes == nullptr) return false;
  where.add(bytes, length);
  return true;
}

uint64_t doAtomic(uint8_t *bytes, bool isAdd, uint64_t compareAdd, uint64_t swap) {
  auto *cell = reinterpret_cast<uint64_t *>(bytes);
  if (isAdd) return __atomic_fetch_add(cell, compareAdd, __ATOMIC_SEQ_CST);
  uint64_t before = compareAdd;
  __atomic_compare_exchange_n(cell, &before, swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return before;
}

}  // namespace fabricsim
