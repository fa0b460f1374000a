#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rds/records.h"

namespace verbena {

// One AF_RDS socket of the kernel, never blocking. What its bytes mean is decided in TypeScript. Owns the descriptor.
class RdsSocket {
 public:
  static constexpr int kFamily = 21;  // AF_RDS; glibc has the name only in newer versions
  static constexpr int kLevel = 276;  // SOL_RDS

  RdsSocket() = default;
  ~RdsSocket();
  RdsSocket(const RdsSocket&) = delete;
  RdsSocket& operator=(const RdsSocket&) = delete;

  // 0 or a positive errno; `*syscall` names what failed. EAFNOSUPPORT: the module `rds` is not loaded.
  int Open(const char** syscall);
  // Duplicates the descriptor of any datagram socket, for tests on machines without the module.
  int Duplicate(int fd, const char** syscall);
  void Close();
  bool is_open() const { return fd_ >= 0; }

  // All: 0 or a positive errno.
  int Bind(const uint8_t* address, size_t size);
  int Connect(const uint8_t* address, size_t size);
  int Name(bool is_peer, std::vector<uint8_t>* out) const;
  int SetOption(int level, int option, const uint8_t* value, size_t size);
  // `out`: as long as the room wanted; cut to what there is.
  int GetOption(int level, int option, std::vector<uint8_t>* out) const;
  // A list of RDS_INFO_*: whole, however long. `*element_size` is 0 for an empty list.
  int Info(int option, std::vector<uint8_t>* out, size_t* element_size) const;
  // An ioctl on one byte, such as the type of service.
  int IoctlByte(unsigned long request, uint8_t* value);

  // The bytes taken, or a negative errno. The one flag is MSG_DONTWAIT: this family refuses MSG_NOSIGNAL.
  ssize_t Send(const iovec* parts, size_t count, const uint8_t* address, size_t address_size, const uint8_t* control,
               size_t control_size);

  // Room for control messages; 0 (at first) has the kernel leave them out.
  static constexpr size_t kMaxControl = 4096;
  void set_control_size(size_t size) { control_.resize(size); }

  // Fills the block: at its start `max` records, then data and control messages as they come. Takes messages as long as there are any and
  // `limit` more bytes fit in; the first one may use all the room. `limit`: longest part of a message to copy. The number of records, or
  // a negative errno if there is none (EAGAIN). With `peek` the message stays, and one is all there is to see.
  int Receive(uint8_t* block, size_t size, int max, size_t limit, bool peek);

  // A descriptor that is readable as long as something has happened since the last TakeEvents(). It is an edge-triggered epoll set around
  // the socket: a socket with messages that nobody takes stays readable, and would otherwise hide that a congested port is free again.
  int events_fd() const { return events_fd_; }
  // EPOLLIN, EPOLLOUT and EPOLLERR of what has happened.
  uint32_t TakeEvents();
  // Which of POLLIN, POLLOUT and POLLERR are the case now.
  uint32_t Poll() const;

 private:
  int Watch(const char** syscall);

  int fd_ = -1;
  int events_fd_ = -1;
  std::vector<uint8_t> control_;
};

}  // namespace verbena
