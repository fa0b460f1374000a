// Time-outs of the progress thread. All methods are called with the process lock held.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace fabricsim {

using Clock = std::chrono::steady_clock;

class TimerQueue {
 public:
  struct Handle {
    Clock::time_point when;
    uint64_t sequence = 0;  // 0: not armed
  };

  Handle arm(Clock::time_point when, std::function<void()> action) {
    Handle handle = {when, ++lastSequence_};
    entries_.emplace(std::make_pair(when, handle.sequence), std::move(action));
    return handle;
  }
  // Harmless for a handle that has fired or was never armed.
  void cancel(Handle &handle) {
    if (handle.sequence != 0) entries_.erase({handle.when, handle.sequence});
    handle.sequence = 0;
  }
  std::optional<Clock::time_point> next() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.begin()->first.first;
  }
  // Runs what is due. An action may arm and cancel; what it arms for now runs in the next round.
  void runDue(Clock::time_point now) {
    uint64_t lastOld = lastSequence_;
    for (auto it = entries_.begin(); it != entries_.end() && it->first.first <= now; it = entries_.begin()) {
      if (it->first.second > lastOld) break;
      std::function<void()> action = std::move(it->second);
      entries_.erase(it);
      action();
    }
  }
  void clear() { entries_.clear(); }

 private:
  std::map<std::pair<Clock::time_point, uint64_t>, std::function<void()>> entries_;
  uint64_t lastSequence_ = 0;
};

}  // namespace fabricsim
