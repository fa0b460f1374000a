// Sends that could not be done when they were posted: copies of what the program's list said, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "hca/work-request.h"

namespace fabricsim {

class SendQueue {
 public:
  SendQueue(uint32_t capacity, uint32_t maxSges, uint32_t maxInline);

  uint32_t size() const { return count_; }
  uint32_t capacity() const { return capacity_; }
  bool isEmpty() const { return count_ == 0; }
  bool isFull() const { return count_ == capacity_; }

  // Copies the request, its list, the message if that is inline, and its address. The queue is not full.
  void push(const SendRequest &request);
  // Request number `index` from the oldest.
  const SendRequest &at(uint32_t index) const { return slots_[(head_ + index) % capacity_]; }
  const SendRequest &front() const { return at(0); }
  void pop() {
    head_ = (head_ + 1) % capacity_;
    --count_;
  }
  // Puts the one that was popped last back to the front.
  void unpop() {
    head_ = (head_ + capacity_ - 1) % capacity_;
    ++count_;
  }
  void clear() { count_ = 0; }

 private:
  uint32_t capacity_;
  uint32_t maxSges_;
  uint32_t maxInline_;
  uint32_t head_ = 0;
  uint32_t count_ = 0;
  std::vector<SendRequest> slots_;
  std::vector<vb_ibv_sge> sges_;
  std::vector<uint8_t> inlined_;
  std::vector<AddressVector> addresses_;
};

}  // namespace fabricsim
