#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace verbena {

// Moves datagrams of one netlink socket; what they mean is decided in TypeScript. Owns the descriptor.
class NetlinkReader {
 public:
  enum class Outcome { kDrained, kMore, kOverflow, kFailed };

  // One turn of the event loop takes at most so much.
  static constexpr int kMaxDatagrams = 64;
  static constexpr size_t kMaxBytes = 1 << 20;
  // What the kernel keeps for us while the loop is busy. Its default holds some 200 messages, fewer than one storm of a large cluster.
  static constexpr int kReceiveBuffer = 1 << 20;

  NetlinkReader() = default;
  ~NetlinkReader();
  NetlinkReader(const NetlinkReader&) = delete;
  NetlinkReader& operator=(const NetlinkReader&) = delete;

  // Opens a non-blocking socket bound to the multicast groups of the mask. 0 or a positive errno; `*syscall` names what failed.
  int Open(int protocol, uint32_t groups, const char** syscall);
  // Takes over an open netlink socket, such as one that systemd has bound. 0 or a positive errno; the descriptor stays the caller's then.
  int Adopt(int fd, const char** syscall);
  void Close();
  int fd() const { return fd_; }

  // To the kernel, whole or not at all. 0 or a positive errno.
  int Send(const uint8_t* data, size_t size);

  // Appends datagrams. kOverflow: the kernel has dropped some (ENOBUFS), what is known may be wrong. kFailed: see error().
  Outcome Receive(std::vector<std::vector<uint8_t>>* datagrams);
  int error() const { return error_; }

 private:
  void EnlargeBuffer();

  int fd_ = -1;
  int error_ = 0;
};

}  // namespace verbena
