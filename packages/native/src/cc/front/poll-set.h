#pragma once

#include <sys/epoll.h>

#include <cstdint>

#include "front/connection.h"

namespace verbena::front {

// An epoll set of sources, and the descriptor by which others wake who waits at it. All methods but Wait may be called by any thread, and give
// 0 or a positive errno.
class PollSet {
 public:
  static constexpr int kBatch = 256;

  PollSet() = default;
  ~PollSet();
  PollSet(const PollSet&) = delete;
  PollSet& operator=(const PollSet&) = delete;

  int Open(const char** syscall);
  int fd() const { return epoll_; }

  // EEXIST if it is there already.
  int Add(Source& source, uint32_t events);
  int Change(Source& source, uint32_t events);
  int Remove(Source& source);

  // Ends the wait that is going on, or the next one.
  void Wake();
  // After an event of the waker.
  void TakeWake();
  // As epoll_wait: -1 waits for ever. The user data of an event points to its source.
  int Wait(epoll_event (&events)[kBatch], int timeout_ms);

 private:
  int Control(int operation, Source& source, uint32_t events);

  int epoll_ = -1;
  Source waker_{Source::Kind::kWake, -1};
};

}  // namespace verbena::front
