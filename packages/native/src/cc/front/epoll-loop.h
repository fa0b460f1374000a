#pragma once

#include <vector>

#include "front/loop.h"
#include "front/poll-set.h"

namespace verbena::front {

// Waits with epoll; each read and each answer is a system call of its own. Works on every kernel.
class EpollLoop : public Loop {
 public:
  explicit EpollLoop(LoopHandler& handler);

  int Open(const char** syscall) override;
  void Run() override;
  int Watch(Source& listener) override;
  void Unwatch(Source& listener) override;
  int Add(Connection& client) override;
  void Want(Connection& client, bool input, bool output) override;
  void Release(Connection& client) override;
  bool Submit(Connection& client, const Answer& answer) override;
  void Wake() override;

 private:
  void OnEvents(Source& source, uint32_t events);
  void OnClient(Connection& client, uint32_t events);

  LoopHandler& handler_;
  PollSet set_;
  std::vector<uint8_t> buffer_;
};

}  // namespace verbena::front
