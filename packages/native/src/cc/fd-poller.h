#pragma once

#include <functional>
#include <memory>

#include "environment.h"

namespace verbena {

// Watches one descriptor for input on the environment's loop. Does not own the descriptor, which may be closed as soon as this is gone.
// Loop thread only; may be destroyed inside its own callback.
class FdPoller {
 public:
  // `error` is 0, or the positive errno with which the loop reported the descriptor broken; it is not watched any more then.
  using OnReady = std::function<void(int error)>;

  // NULL, with the positive errno in `error`, for a descriptor that epoll refuses (EBADF, EPERM).
  static std::unique_ptr<FdPoller> Open(Environment& environment, int fd, OnReady on_ready, int* error);
  ~FdPoller();
  FdPoller(const FdPoller&) = delete;
  FdPoller& operator=(const FdPoller&) = delete;

  // 0 or a positive errno. While started, the poller keeps the loop alive.
  int Start();
  void Stop();

 private:
  struct Watch;
  explicit FdPoller(Watch* watch) : watch_(watch) {}
  Watch* watch_;  // freed by the loop's close callback
};

}  // namespace verbena
