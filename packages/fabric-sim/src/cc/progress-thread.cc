// The one thread of the library: reads from the fabric, writes what the socket did not take at once, runs time-outs.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <vector>

#include "issm-file.h"
#include "process.h"

namespace fabricsim {

namespace {
int pollTimeout(Clock::time_point until) {
  if (until == Clock::time_point::max()) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min<int64_t>(left, INT_MAX));
}
}  // namespace

int Process::start() {
  int error = attach();
  if (error != 0 || isRunning_) return error;
  wakeFd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wakeFd_ < 0) return errno;
  // The program's signal handlers must not run on a thread it does not know.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  error = pthread_create(&thread, nullptr, progressMain, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    close(wakeFd_);
    wakeFd_ = -1;
    return error;
  }
  pthread_setname_np(thread, "fabricsim");
  pthread_detach(thread);
  isRunning_ = true;
  // Without it only the last packets may be lost.
  if (atexit(beforeExit) != 0) return 0;
  return 0;
}

void *Process::progressMain(void *self) {
  static_cast<Process *>(self)->runProgress();
  return nullptr;
}

void Process::wake() {
  uint64_t one = 1;
  if (wakeFd_ >= 0 && write(wakeFd_, &one, sizeof one) < 0) return;  // already pending
}

void Process::timersChanged() {
  auto next = timers_.next();
  if (next && *next < plannedWake_) {
    plannedWake_ = *next;
    wake();
  }
}

void Process::runProgress() {
  std::vector<struct pollfd> entries;
  Lock held = lock();
  for (;;) {
    plannedWake_ = timers_.next().value_or(Clock::time_point::max());
    entries.clear();
    entries.push_back({wakeFd_, POLLIN, 0});
    // Another one may have taken its place when the lock is ours again.
    std::shared_ptr<AttachClient> client = client_;
    short interest = static_cast<short>(client->wantsToWrite() ? POLLIN | POLLOUT : POLLIN);
    entries.push_back({client->isLost() ? -1 : client->fd(), interest, 0});
    for (const auto &file : issmFiles_) entries.push_back({file->watchFd(), POLLIN, 0});
    int timeout = pollTimeout(plannedWake_);
    held.unlock();
    int n = poll(entries.data(), entries.size(), timeout);
    held.lock();
    if (n < 0 && errno != EINTR) return;
    if (n > 0) {
      uint64_t count = 0;
      if (entries[0].revents != 0 && read(wakeFd_, &count, sizeof count) < 0 && errno != EAGAIN) return;
      if ((entries[1].revents & POLLOUT) != 0) client->writeReady(*this);
      if ((entries[1].revents & ~POLLOUT) != 0) client->readReady(*this);
      IssmFile::reap(issmFiles_, entries);
    }
    timers_.runDue(Clock::now());
    client->push();
    if (client->hasRoom()) onRoom();
  }
}

}  // namespace fabricsim
