#pragma once

#include <errno.h>

#include "front/loop.h"
#include "front/poll-set.h"

namespace verbena::front {

// What loops have in common: listening sockets and wake-ups come from an epoll set.
class PolledLoop : public Loop {
 public:
  int Watch(Source& listener) final {
    const int error = set_.Add(listener, EPOLLIN);
    return error == EEXIST ? 0 : error;
  }
  void Unwatch(Source& listener) final { set_.Remove(listener); }
  void Wake() final { set_.Wake(); }

 protected:
  explicit PolledLoop(LoopHandler& handler) : handler_(handler) {}

  LoopHandler& handler_;
  PollSet set_;
};

}  // namespace verbena::front
