#include "rdma/work-ledger.h"

namespace verbena {

WorkLedger::WorkLedger(uint32_t capacity, Order order)
    : capacity_(capacity), order_(order), mask_(std::bit_ceil(capacity | 1u) - 1), entries_(size_t{mask_} + 1) {
  if (order_ == Order::kAny) Reset();
}

uint32_t WorkLedger::Credits() const {
  if (order_ == Order::kPosted) {
    return capacity_ - (posted_.load(std::memory_order_relaxed) - done_.load(std::memory_order_acquire));
  }
  const std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(free_.size());
}

uint32_t WorkLedger::TakeAny(const LedgerEntry& entry) {
  const std::lock_guard lock(mutex_);
  const uint32_t number = free_.back();
  free_.pop_back();
  is_taken_[number] = true;
  entries_[number] = entry;
  return number;
}

void WorkLedger::GiveBack(uint64_t number) {
  if (order_ == Order::kPosted) {
    posted_.fetch_sub(1, std::memory_order_release);
    return;
  }
  uint64_t wr_id = 0;
  uint32_t token = 0;
  CompleteAny(static_cast<uint32_t>(number), &wr_id, &token);
}

void WorkLedger::Reset() {
  if (order_ == Order::kPosted) {
    done_.store(posted_.load(std::memory_order_relaxed), std::memory_order_release);
    return;
  }
  const std::lock_guard lock(mutex_);
  free_.clear();
  for (uint32_t number = capacity_; number > 0; number--) free_.push_back(number - 1);
  is_taken_.assign(capacity_, false);
}

bool WorkLedger::CompleteAny(uint32_t number, uint64_t* wr_id, uint32_t* token) {
  const std::lock_guard lock(mutex_);
  if (number >= capacity_ || !is_taken_[number]) return false;
  is_taken_[number] = false;
  *wr_id = std::bit_cast<uint64_t>(entries_[number].wr_id);
  *token = entries_[number].token;
  free_.push_back(number);
  return true;
}

}  // namespace verbena
