// An open umad port: the counterpart of a file that the kernel opened on /dev/infiniband/umadN. Its descriptor is an eventfd that is
// readable while MADs wait, so poll, epoll and select work on it. Every method is called with the process lock held.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "attach-client.h"
#include "umad-agent.h"
#include "verbena/ibumad-abi.h"

namespace fabricsim {

class Device;
class Process;

class UmadPort {
 public:
  static constexpr size_t kMaxAgents = VB_UMAD_CA_MAX_AGENTS;

  UmadPort(Process &process, Device &device, unsigned portNumber, uint32_t handle, int fd)
      : process_(process), device_(device), portNumber_(portNumber), handle_(handle), fd_(fd) {}
  ~UmadPort();
  UmadPort(const UmadPort &) = delete;
  UmadPort &operator=(const UmadPort &) = delete;

  int fd() const { return fd_; }
  uint32_t handle() const { return handle_; }
  unsigned portNumber() const { return portNumber_; }
  Process &process() { return process_; }
  Device &device() { return device_; }

  // The agent's number on this port, or a negative errno value.
  int addAgent(Lock &lock, AgentRequest request);
  int removeAgent(Lock &lock, int index);
  UmadAgent *agent(int index);

  // Queues a MAD for umad_recv; drops it if the program has not read for very long.
  void push(const vb_ib_user_mad &head, Bytes mad);
  // What read() on the kernel's file does: header and MAD into `buffer` of `capacity` bytes. Bytes written, or a negative errno
  // value: EAGAIN nothing there, EINVAL no room for a header and a MAD, ENOSPC a long message does not fit and stays queued.
  ssize_t pop(void *buffer, size_t capacity);

  // The fabric went away: readers wake up and get EIO.
  void markLost();
  // Closes the descriptor and wakes those who still wait on it; the agents go.
  void close();
  // As close(), for a descriptor that the program has closed by itself.
  void abandon() {
    fd_ = -1;
    dropAgents();
  }

 private:
  struct Received {
    vb_ib_user_mad head;
    Bytes mad;
  };
  void dropAgents();
  void signal();
  void unsignal();

  Process &process_;
  Device &device_;
  unsigned portNumber_;
  uint32_t handle_;
  int fd_;
  bool isLost_ = false;
  bool isSignalled_ = false;
  std::deque<Received> queue_;
  std::array<std::unique_ptr<UmadAgent>, kMaxAgents> agents_;
};

}  // namespace fabricsim
