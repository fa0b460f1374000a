#include "hca/receive-queue.h"

#include <algorithm>
#include <cerrno>

namespace fabricsim {

ReceiveQueue::ReceiveQueue(uint32_t capacity, uint32_t maxSges)
    : capacity_(capacity), maxSges_(maxSges), slots_(capacity), sges_(static_cast<size_t>(capacity) * maxSges) {}

int ReceiveQueue::post(const vb_ibv_recv_wr &request) {
  if (request.num_sge < 0 || static_cast<uint32_t>(request.num_sge) > maxSges_) return EINVAL;
  if (count_ == capacity_) return ENOMEM;
  uint32_t at = head_ + count_;
  if (at >= capacity_) at -= capacity_;
  slots_[at] = {request.wr_id, request.num_sge};
  std::copy_n(request.sg_list, request.num_sge, sges_.begin() + static_cast<ptrdiff_t>(at) * maxSges_);
  ++count_;
  return 0;
}

bool ReceiveQueue::take(ReceiveRequest &out) {
  if (count_ == 0) return false;
  out = {slots_[head_].wrId, sges_.data() + static_cast<size_t>(head_) * maxSges_, slots_[head_].sgeCount};
  if (++head_ == capacity_) head_ = 0;
  --count_;
  return true;
}

bool ReceiveQueue::resize(uint32_t capacity) {
  if (capacity < count_) return false;
  ReceiveQueue other(capacity, maxSges_);
  ReceiveRequest one;
  while (take(one)) {
    vb_ibv_recv_wr again = {one.wrId, nullptr, const_cast<vb_ibv_sge *>(one.sges), one.sgeCount};
    other.post(again);
  }
  *this = std::move(other);
  return true;
}

}  // namespace fabricsim
