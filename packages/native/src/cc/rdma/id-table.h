#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace verbena {

// Numbers that stand for objects where no pointer may: in memory that JavaScript writes, and in the hands of the hardware. A number is
// never given twice in a process, so a stale one finds nothing, and neither does one of another device. Any thread.
template <typename T>
class IdTable {
 public:
  // Never 0, which stands for none.
  uint32_t Add(const std::shared_ptr<T>& object) {
    const uint32_t id = ++last_;
    const std::lock_guard lock(mutex_);
    objects_.emplace(id, object);
    return id;
  }

  void Remove(uint32_t id) {
    const std::lock_guard lock(mutex_);
    objects_.erase(id);
    removals_.fetch_add(1, std::memory_order_release);
  }

  // Changes with each removal: while it is the same, what was found before would be found again.
  uint32_t removals() const { return removals_.load(std::memory_order_acquire); }

  // NULL if there is none, or none any more.
  std::shared_ptr<T> Find(uint32_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : found->second.lock();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint32_t, std::weak_ptr<T>> objects_;
  static inline std::atomic<uint32_t> last_ = 0;  // of all tables
  std::atomic<uint32_t> removals_ = 0;
};

}  // namespace verbena
