// Receives that several queue pairs take from (ibv_create_srq), and the warning when few are left.
#pragma once

#include <cstdint>

#include "hca/receive-queue.h"

namespace fabricsim {

class VerbsContext;

class SharedReceiveQueue {
  vb_ibv_srq handle_;  // first member: of() relies on it

 public:
  SharedReceiveQueue(VerbsContext &context, vb_ibv_pd *pd, void *userContext, uint32_t capacity, uint32_t maxSges);
  ~SharedReceiveQueue();
  SharedReceiveQueue(const SharedReceiveQueue &) = delete;
  SharedReceiveQueue &operator=(const SharedReceiveQueue &) = delete;

  static SharedReceiveQueue &of(vb_ibv_srq *srq) { return *reinterpret_cast<SharedReceiveQueue *>(srq); }
  vb_ibv_srq *handle() { return &handle_; }

  ReceiveQueue &queue() { return queue_; }
  // Takes the oldest; reports once that fewer than the limit are left.
  bool take(ReceiveRequest &out);
  uint32_t limit() const { return limit_; }
  void setLimit(uint32_t limit) { limit_ = limit; }

  uint32_t users = 0;        // queue pairs
  uint32_t errorsTaken = 0;  // handed out by ibv_get_async_event

 private:
  VerbsContext &context_;
  ReceiveQueue queue_;
  uint32_t limit_ = 0;  // 0: not armed
};

}  // namespace fabricsim
