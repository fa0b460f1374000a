#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace verbena {

// Address and port of one end of a TCP connection; IPv4 or IPv6.
struct TcpAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  // `host` is numeric, without a scope. False for anything else.
  static bool Parse(const std::string& host, uint16_t port, uint32_t scope, TcpAddress* out);
  std::string host() const;
  uint16_t port() const;
  uint32_t scope() const;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

// One TCP socket, without Node: non-blocking, no delay, keep-alive after 5 s idle, each 5 s, 5 times. Owns the descriptor. Calls that may
// fail give 0 or a positive errno, and name the call in `*syscall` where more than one may be the reason.
class TcpSocket {
 public:
  // What one call of Read or Write gives.
  struct Moved {
    size_t bytes;
    int error;  // EAGAIN: nothing at present
  };

  TcpSocket() = default;
  TcpSocket(TcpSocket&& other) noexcept { *this = std::move(other); }
  TcpSocket& operator=(TcpSocket&& other) noexcept;
  ~TcpSocket() { Close(); }

  // Begins to connect from `local`; the descriptor becomes writable when it is decided.
  int Connect(const TcpAddress& local, const TcpAddress& remote, const char** syscall);
  int Listen(const TcpAddress& local, int backlog, const char** syscall);
  // The next connection that waits; EAGAIN if none does.
  int Accept(TcpSocket* out, TcpAddress* peer, const char** syscall);
  // The options that every connection has. To be called once, on one that was accepted; Connect does it itself.
  int Configure(const char** syscall);

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // SO_ERROR, which it clears: 0 for a connection that has come about.
  int TakeError();
  int LocalAddress(TcpAddress* out) const;

  // bytes 0 without an error: the peer has ended its stream, and all of it was read.
  Moved Read(uint8_t* into, size_t size);
  Moved Write(iovec* segments, size_t count);

  // Bytes written from here that the peer's TCP has acknowledged. Still right after the peer has reset the connection, and after Close.
  uint64_t AckPosition() const;
  // Takes the reports of acknowledgement out of the error queue; true if there was one.
  bool TakeAckReports();

  // Idempotent. What was written still goes out.
  void Close();
  // Idempotent. The peer gets a reset; what was written and not yet acknowledged is lost.
  void Reset();

 private:
  int fd_ = -1;
  uint64_t written_ = 0;
  uint64_t final_ = 0;  // the position at Close
};

}  // namespace verbena
