#include "hca/event-queue.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "process.h"

namespace fabricsim {

EventQueue::EventQueue() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  readEnd_ = ends[0];
  writeEnd_ = ends[1];
}

EventQueue::~EventQueue() {
  // In this order: nothing is written into a pipe that nobody can read.
  hangUp();
  if (readEnd_ >= 0) close(readEnd_);
}

void EventQueue::push(const Event &event) {
  events_.push_back(event);
  if (!isSignalled_) signal();
}

void EventQueue::signal() {
  uint8_t token = 1;
  // Cannot block: the pipe is empty.
  isSignalled_ = writeEnd_ >= 0 && write(writeEnd_, &token, sizeof token) == sizeof token;
}

void EventQueue::hangUp() {
  if (writeEnd_ >= 0) close(std::exchange(writeEnd_, -1));
}

void EventQueue::forget(const void *object) {
  std::erase_if(events_, [object](const Event &event) { return event.object == object; });
  if (!events_.empty() || !isSignalled_) return;
  // A reader may be between its read and our lock; then there is nothing here to take, and it will find no event and wait again.
  uint8_t token = 0;
  struct iovec into = {&token, sizeof token};
  if (preadv2(readEnd_, &into, 1, -1, RWF_NOWAIT) == sizeof token) isSignalled_ = false;
}

int EventQueue::take(const std::function<void(const Event &)> &taken) {
  for (;;) {
    uint8_t token = 0;
    ssize_t length = read(readEnd_, &token, sizeof token);
    if (length < 0) return -1;
    Lock lock = Process::get().lock();
    if (length > 0) isSignalled_ = false;
    if (events_.empty()) {
      if (length > 0) continue;
      errno = EIO;
      return -1;
    }
    Event event = events_.front();
    events_.pop_front();
    taken(event);
    if (!events_.empty() && !isSignalled_) signal();
    return 0;
  }
}

}  // namespace fabricsim
