#pragma once

#include <functional>
#include <memory>

#include "environment.h"

namespace verbena {

// Lets another thread wake the loop. Several wake-ups before the loop comes round are one.
class LoopWaker {
 public:
  // `on_wake` runs on the loop thread and may destroy this object. NULL, with a positive errno in `error`, if there is no loop handle.
  static std::unique_ptr<LoopWaker> Open(Environment& environment, std::function<void()> on_wake, int* error);
  // No Send() may be under way. `on_wake` is not called any more.
  ~LoopWaker();
  LoopWaker(const LoopWaker&) = delete;
  LoopWaker& operator=(const LoopWaker&) = delete;

  // Any thread.
  void Send() const;

 private:
  struct Handle;
  explicit LoopWaker(Handle* handle) : handle_(handle) {}

  Handle* const handle_;  // freed by the loop's close callback
};

}  // namespace verbena
