#include "front/epoll-loop.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

namespace verbena::front {
namespace {

constexpr size_t kReadBytes = 16384;

}  // namespace

EpollLoop::EpollLoop(LoopHandler& handler) : PolledLoop(handler), buffer_(kReadBytes) {}

int EpollLoop::Open(const char** syscall) { return set_.Open(syscall); }

void EpollLoop::Run() {
  epoll_event events[PollSet::kBatch];
  int wait_ms = -1;
  for (;;) {
    const int count = set_.Wait(events, wait_ms);
    handler_.BeginTurn();
    for (int i = 0; i < count; i++) OnEvents(*static_cast<Source*>(events[i].data.ptr), events[i].events);
    const auto lock = handler_.LockAsThread();
    if (!handler_.EndTurn(&wait_ms)) return;
  }
}

// The lock is given back between sources, so that the owner waits for one of them at most.
void EpollLoop::OnEvents(Source& source, uint32_t events) {
  if (source.kind == Source::Kind::kClient) {
    OnClient(static_cast<Connection&>(source), events);
    return;
  }
  const auto lock = handler_.LockAsThread();
  if (source.kind == Source::Kind::kListener) {
    handler_.OnListener(source, (events & (EPOLLHUP | EPOLLERR)) != 0);
  } else {
    set_.TakeWake();
    handler_.OnWake();
  }
}

void EpollLoop::OnClient(Connection& client, uint32_t events) {
  ssize_t got = -EAGAIN;
  if ((events & EPOLLIN) != 0) {
    got = recv(client.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0) got = -errno;
  }
  const auto lock = handler_.LockAsThread();
  if ((events & EPOLLOUT) != 0) handler_.OnWritable(client);
  handler_.OnInput(client, buffer_.data(), got, (events & (EPOLLHUP | EPOLLERR)) != 0);
}

int EpollLoop::Add(Connection& client) {
  client.interest = EPOLLIN;
  return set_.Add(client, client.interest);
}

void EpollLoop::Want(Connection& client, bool input, bool output) {
  const uint32_t interest = (input ? EPOLLIN : 0u) | (output ? EPOLLOUT : 0u);
  if (interest == client.interest) return;
  client.interest = interest;
  set_.Change(client, interest);
}

void EpollLoop::Release(Connection& client) {
  close(client.fd);
  delete &client;
}

bool EpollLoop::Submit(Connection&, const Answer&) { return false; }

}  // namespace verbena::front
