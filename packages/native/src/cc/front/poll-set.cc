#include "front/poll-set.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace verbena::front {

PollSet::~PollSet() {
  for (const int fd : {epoll_, waker_.fd}) {
    if (fd >= 0) close(fd);
  }
}

int PollSet::Open(const char** syscall) {
  *syscall = "epoll_create1";
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return errno;
  *syscall = "eventfd";
  waker_.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (waker_.fd < 0) return errno;
  *syscall = "epoll_ctl";
  return Add(waker_, EPOLLIN);
}

int PollSet::Add(Source& source, uint32_t events) { return Control(EPOLL_CTL_ADD, source, events); }

int PollSet::Change(Source& source, uint32_t events) { return Control(EPOLL_CTL_MOD, source, events); }

int PollSet::Remove(Source& source) { return Control(EPOLL_CTL_DEL, source, 0); }

int PollSet::Control(int operation, Source& source, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = &source;
  return epoll_ctl(epoll_, operation, source.fd, &event) == 0 ? 0 : errno;
}

void PollSet::Wake() {
  const uint64_t one = 1;
  if (write(waker_.fd, &one, sizeof one) != sizeof one) return;  // full: it is awake
}

void PollSet::TakeWake() {
  uint64_t ignored = 0;
  if (read(waker_.fd, &ignored, sizeof ignored) != sizeof ignored) return;  // woken for nothing
}

int PollSet::Wait(epoll_event (&events)[kBatch], int timeout_ms) { return epoll_wait(epoll_, events, kBatch, timeout_ms); }

}  // namespace verbena::front
