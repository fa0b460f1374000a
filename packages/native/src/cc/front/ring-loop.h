#pragma once

#include <cstddef>
#include <vector>

#include "front/polled-loop.h"
#include "front/ring.h"

namespace verbena::front {

// Receives and answers through an io_uring, so that one system call serves many clients. What is rare (new connections, clients that do not
// read, the owner's wake-ups) comes from an epoll set that the ring waits for.
class RingLoop : public PolledLoop {
 public:
  explicit RingLoop(LoopHandler& handler);

  int Open(const char** syscall) override;
  void Run() override;
  int Add(Connection& client) override;
  void Want(Connection& client, bool input, bool output) override;
  void Release(Connection& client) override;
  bool Submit(Connection& client, const Answer& answer) override;

 private:
  // Completions handled, and so answers sent, while the lock is held once: the owner waits that long at most.
  static constexpr size_t kTurn = 16;

  struct Slot {
    Connection* client;
    Answer answer;
    uint8_t request[kMaxRequest];
    uint8_t reply[kMaxRequest];
  };

  bool Turn(int* wait_ms);
  void Collect();
  void HandleNext();
  void OnReceived(Connection& client, const Completion& done);
  void OnSent(Slot& slot, int result);
  void OnReady();
  void OnEvents(Source& source, uint32_t events);
  void SendBefore(const Connection& client);
  void SendAnswers();
  void PollAgain();
  void Receive(Connection& client);
  void Delete(Connection& client);

  Ring ring_;
  std::vector<Completion> done_;  // not handled yet from `at_` on
  size_t at_ = 0;
  std::vector<Slot> slots_;
  size_t staged_ = 0;   // slots in use
  size_t unknown_ = 0;  // of which the result is not known yet
  size_t receiving_ = 0;
  bool is_polling_ = false;
  bool is_turn_ = false;               // the thread has the lock; who else has it is the owner
  std::vector<Connection*> changed_;  // to be read again; none of them is deleted before the thread has looked at it
};

}  // namespace verbena::front
