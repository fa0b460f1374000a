#pragma once

#include <functional>
#include <memory>

#include "environment.h"

namespace verbena {

// Watches one descriptor on the environment's loop, for input unless told otherwise. Does not own the descriptor, which may be closed as soon as this is gone.
// Loop thread only; may be destroyed inside its own callback.
class FdPoller {
 public:
  // `error` is 0, or the positive errno with which the loop reported the descriptor broken; it is not watched any more then. `events`:
  // bits of kUvReadable and so on; 0 with an error.
  using OnReady = std::function<void(int error, int events)>;

  // NULL, with the positive errno in `error`, for a descriptor that epoll refuses (EBADF, EPERM).
  static std::unique_ptr<FdPoller> Open(Environment& environment, int fd, OnReady on_ready, int* error);
  ~FdPoller();
  FdPoller(const FdPoller&) = delete;
  FdPoller& operator=(const FdPoller&) = delete;

  // 0 or a positive errno. While started, the poller keeps the loop alive. A second call changes the events.
  int Start(int events = kUvReadable);
  void Stop();

 private:
  struct Watch;
  explicit FdPoller(Watch* watch) : watch_(watch) {}
  Watch* watch_;  // freed by the loop's close callback
};

}  // namespace verbena
