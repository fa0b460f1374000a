#pragma once

#include <atomic>

namespace verbena {

// How many objects of class `T`, which derives from this, the process has: tests look for those that nobody has closed.
template <typename T>
class LiveCount {
 public:
  static int Now() { return count_.load(); }

 protected:
  LiveCount() { count_++; }
  ~LiveCount() { count_--; }
  LiveCount(const LiveCount&) = delete;
  LiveCount& operator=(const LiveCount&) = delete;

 private:
  inline static std::atomic<int> count_ = 0;
};

}  // namespace verbena
