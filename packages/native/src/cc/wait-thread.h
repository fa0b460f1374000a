#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "environment.h"
#include "loop-waker.h"

namespace verbena {

// Waits on behalf of the loop where epoll cannot: a thread asks `wait` again and again and, once it says "ready", wakes the loop, which
// calls `on_ready`. The thread then rests until Resume(): one wake-up is under way at most, and while the loop reads nobody else does.
//
// `wait` runs on the thread; it MUST return within a short time (it is what bounds Close) and touch nothing that the loop thread changes
// at the same time. `on_ready` runs on the loop thread and may destroy this object.
class WaitThread {
 public:
  enum class Result { kReady, kTimedOut, kFailed };
  using Wait = std::function<Result(int* error)>;
  using OnReady = std::function<void(int error)>;

  // NULL, with a positive errno in `error`, if there is no room for a thread or a loop handle. Starts resting.
  static std::unique_ptr<WaitThread> Open(Environment& environment, Wait wait, OnReady on_ready, int* error);
  // Stops the thread, which takes as long as one `wait`, and calls nothing any more.
  ~WaitThread();
  WaitThread(const WaitThread&) = delete;
  WaitThread& operator=(const WaitThread&) = delete;

  void Resume();
  void Pause();

  // Asks the thread to end; `on_ended` is called on the loop thread once it has, and this object can be destroyed without waiting.
  void End(std::function<void()> on_ended);

 private:
  WaitThread() = default;
  void Run();
  void OnWake();

  enum class State { kResting, kWaiting, kEnding, kEnded };

  std::mutex mutex_;  // guards state_, is_ready_ and error_
  std::condition_variable changed_;
  State state_ = State::kResting;
  bool is_ready_ = false;
  int error_ = 0;

  Wait wait_;
  OnReady on_ready_;
  std::function<void()> on_ended_;
  std::unique_ptr<LoopWaker> waker_;
  std::thread thread_;      // last: it uses all of the above
};

}  // namespace verbena
