#include "hca/event-queue.h"

#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "process.h"

namespace fabricsim {

EventQueue::EventQueue() : fd_(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)) {}

EventQueue::~EventQueue() {
  if (fd_ >= 0) close(fd_);
}

void EventQueue::push(const Event &event) {
  events_.push_back(event);
  uint64_t one = 1;
  // Cannot block: the counter would have to reach 2^64.
  if (write(fd_, &one, sizeof one) < 0) return;
}

void EventQueue::forget(const void *object) {
  auto isGone = [object](const Event &event) { return event.object == object; };
  auto count = std::count_if(events_.begin(), events_.end(), isGone);
  std::erase_if(events_, isGone);
  for (; count > 0; --count) {
    // A reader may be between its read and our lock; then there is nothing here to take, and it will find no event and wait again.
    uint64_t token = 0;
    struct iovec into = {&token, sizeof token};
    if (preadv2(fd_, &into, 1, -1, RWF_NOWAIT) < 0) break;
  }
}

int EventQueue::take(const std::function<void(const Event &)> &taken) {
  for (;;) {
    uint64_t token = 0;
    if (read(fd_, &token, sizeof token) < 0) return -1;
    Lock lock = Process::get().lock();
    if (events_.empty()) continue;
    Event event = events_.front();
    events_.pop_front();
    taken(event);
    return 0;
  }
}

}  // namespace fabricsim
