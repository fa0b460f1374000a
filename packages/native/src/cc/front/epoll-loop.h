#pragma once

#include <vector>

#include "front/polled-loop.h"

namespace verbena::front {

// Waits with epoll; each read and each answer is a system call of its own. Works on every kernel.
class EpollLoop : public PolledLoop {
 public:
  explicit EpollLoop(LoopHandler& handler);

  int Open(const char** syscall) override;
  void Run() override;
  int Add(Connection& client) override;
  void Want(Connection& client, bool input, bool output) override;
  void Release(Connection& client) override;
  bool Submit(Connection& client, const Answer& answer) override;

 private:
  void OnEvents(Source& source, uint32_t events);
  void OnClient(Connection& client, uint32_t events);

  std::vector<uint8_t> buffer_;
};

}  // namespace verbena::front
