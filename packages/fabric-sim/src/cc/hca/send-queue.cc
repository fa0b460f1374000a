#include "hca/send-queue.h"

#include <algorithm>
#include <cstring>

namespace fabricsim {

SendQueue::SendQueue(uint32_t capacity, uint32_t maxSges, uint32_t maxInline)
    : capacity_(capacity),
      maxSges_(maxSges),
      maxInline_(maxInline),
      slots_(capacity),
      sges_(static_cast<size_t>(capacity) * maxSges),
      inlined_(static_cast<size_t>(capacity) * maxInline),
      addresses_(capacity) {}

void SendQueue::push(const SendRequest &request) {
  size_t at = (head_ + count_) % capacity_;
  SendRequest &slot = slots_[at];
  slot = request;
  if ((request.flags & VB_IBV_SEND_INLINE) != 0) {
    uint8_t *message = inlined_.data() + at * maxInline_;
    uint8_t *end = message;
    for (int i = 0; i < request.sgeCount; ++i) {
      memcpy(end, reinterpret_cast<const void *>(request.sges[i].addr), request.sges[i].length);
      end += request.sges[i].length;
    }
    slot.inlined = message;
    slot.sges = nullptr;
    slot.sgeCount = 0;
  } else {
    vb_ibv_sge *list = sges_.data() + at * maxSges_;
    std::copy_n(request.sges, request.sgeCount, list);
    slot.sges = list;
  }
  if (request.to != nullptr) {
    addresses_[at] = *request.to;
    slot.to = &addresses_[at];
  }
  ++count_;
}

}  // namespace fabricsim
