// Posted receives, of a queue pair or shared by several.
#pragma once

#include <cstdint>
#include <vector>

#include "hca/work-request.h"

namespace fabricsim {

class ReceiveQueue {
 public:
  ReceiveQueue(uint32_t capacity, uint32_t maxSges);

  uint32_t size() const { return count_; }
  uint32_t capacity() const { return capacity_; }
  uint32_t maxSges() const { return maxSges_; }

  // 0; EINVAL for too many entries of the scatter list, ENOMEM when it is full.
  int post(const vb_ibv_recv_wr &request);
  // Takes the oldest; false if there is none. The scatter list it points to stays as it is until the next post.
  bool take(ReceiveRequest &out);
  void clear() { count_ = 0; }
  // False if more are waiting.
  bool resize(uint32_t capacity);

 private:
  struct Slot {
    uint64_t wrId;
    int sgeCount;
  };

  uint32_t capacity_;
  uint32_t maxSges_;
  uint32_t head_ = 0;
  uint32_t count_ = 0;
  std::vector<Slot> slots_;
  std::vector<vb_ibv_sge> sges_;
};

}  // namespace fabricsim
