#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

namespace verbena {

// What is kept of a work request while the hardware has it.
struct LedgerEntry {
  double wr_id = 0;    // the program's own number, given back with the completion
  uint32_t token = 0;  // who of the library waits for it; 0: nobody, it is the program's
};

// The requests of one work queue that are under way. It gives them the numbers under which the hardware reports them, and counts credits:
// the hardware never has more of them than `capacity`.
//
// One thread posts. Completions may come on others, but of one completion queue one at a time.
class WorkLedger {
 public:
  enum class Order {
    kPosted,  // a queue of one queue pair: what completes ends everything that was posted before it
    kAny,     // a shared receive queue
  };

  WorkLedger(uint32_t capacity, Order order);

  // Given once, before the first request.
  void set_id(uint32_t id) { id_ = id; }
  uint32_t id() const { return id_; }
  uint32_t capacity() const { return capacity_; }
  // More can be posted.
  uint32_t Credits() const;

  // Posting thread. The caller has made sure of as many credits. `number` hears of each request's number for the hardware, in order.
  template <typename Number>
  void Take(const std::vector<LedgerEntry>& entries, Number number);
  // Posting thread: the hardware has refused the request that Take gave this number last. In reverse order of taking.
  void GiveBack(uint64_t number);
  // Posting thread: the queue was emptied without completions.
  void Reset();

  // Gives back what is kept of a request, its number as the bits of a double. False, with nothing written, for a number that is not under way.
  bool Complete(uint32_t number, uint64_t* wr_id, uint32_t* token) {
    if (order_ == Order::kAny) return CompleteAny(number, wr_id, token);
    const uint32_t done = done_.load(std::memory_order_relaxed);
    if (number - done >= posted_.load(std::memory_order_acquire) - done) return false;
    const LedgerEntry& entry = entries_[number & mask_];
    *wr_id = std::bit_cast<uint64_t>(entry.wr_id);
    *token = entry.token;
    done_.store(number + 1, std::memory_order_release);
    return true;
  }

 private:
  uint32_t TakeAny(const LedgerEntry& entry);
  bool CompleteAny(uint32_t number, uint64_t* wr_id, uint32_t* token);

  const uint32_t capacity_;
  const Order order_;
  uint32_t id_ = 0;
  const uint32_t mask_;
  std::vector<LedgerEntry> entries_;

  // Order::kPosted. Counted up for ever; the difference is what is under way.
  std::atomic<uint32_t> posted_ = 0;
  std::atomic<uint32_t> done_ = 0;

  // Order::kAny.
  mutable std::mutex mutex_;
  std::vector<uint32_t> free_;
  std::vector<bool> is_taken_;
};

template <typename Number>
void WorkLedger::Take(const std::vector<LedgerEntry>& entries, Number number) {
  const uint64_t queue = uint64_t{id_} << 32;
  if (order_ == Order::kAny) {
    for (size_t i = 0; i < entries.size(); i++) number(i, queue | TakeAny(entries[i]));
    return;
  }
  const uint32_t first = posted_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < entries.size(); i++) {
    const uint32_t one = first + static_cast<uint32_t>(i);
    entries_[one & mask_] = entries[i];
    number(i, queue | one);
  }
  posted_.store(first + static_cast<uint32_t>(entries.size()), std::memory_order_release);
}

}  // namespace verbena
