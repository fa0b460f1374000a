#include "tcp-socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace verbena {

namespace {

constexpr int kKeepAliveSeconds = 5;
constexpr int kKeepAliveProbes = 5;

int SetInt(int fd, int level, int name, int value) { return setsockopt(fd, level, name, &value, sizeof value) == 0 ? 0 : errno; }

}  // namespace

bool TcpAddress::Parse(const std::string& host, uint16_t port, uint32_t scope, TcpAddress* out) {
  *out = {};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out->storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    out->size = sizeof *v4;
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out->storage);
  if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  v6->sin6_scope_id = scope;
  out->size = sizeof *v6;
  return true;
}

std::string TcpAddress::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, text, sizeof text);
  }
  return text;
}

uint16_t TcpAddress::port() const {
  // Both forms have it at one place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

uint32_t TcpAddress::scope() const {
  return storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_scope_id : 0;
}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  written_ = other.written_;
  final_ = other.final_;
  return *this;
}

int TcpSocket::Connect(const TcpAddress& local, const TcpAddress& remote, const char** syscall) {
  *syscall = "socket";
  fd_ = socket(remote.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return errno;
  int error = Configure(syscall);
  if (error == 0) {
    // The port is chosen by connect(), which knows the peer: a local port may then serve several peers at once.
    SetInt(fd_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    *syscall = "bind";
    if (bind(fd_, local.raw(), local.size) != 0) error = errno;
  }
  if (error == 0) {
    *syscall = "connect";
    if (connect(fd_, remote.raw(), remote.size) != 0 && errno != EINPROGRESS) error = errno;
  }
  if (error != 0) Close();
  return error;
}

int TcpSocket::Listen(const TcpAddress& local, int backlog, const char** syscall) {
  *syscall = "socket";
  fd_ = socket(local.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return errno;
  *syscall = "setsockopt";
  int error = SetInt(fd_, SOL_SOCKET, SO_REUSEADDR, 1);
  if (error == 0 && local.storage.ss_family == AF_INET6) error = SetInt(fd_, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (error == 0) {
    *syscall = "bind";
    if (bind(fd_, local.raw(), local.size) != 0) error = errno;
  }
  if (error == 0) {
    *syscall = "listen";
    if (listen(fd_, backlog) != 0) error = errno;
  }
  if (error != 0) Close();
  return error;
}

int TcpSocket::Accept(TcpSocket* out, TcpAddress* peer, const char** syscall) {
  *syscall = "accept4";
  peer->size = sizeof peer->storage;
  const int fd = accept4(fd_, peer->raw(), &peer->size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return errno;
  *out = TcpSocket();
  out->fd_ = fd;
  return 0;
}

int TcpSocket::Configure(const char** syscall) {
  *syscall = "setsockopt";
  // A report of each acknowledgement in the error queue, which makes the descriptor ready: nothing has to ask SIOCOUTQ again and again.
  const int reports = SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
  const struct {
    int level;
    int name;
    int value;
  } options[] = {
      {IPPROTO_TCP, TCP_NODELAY, 1},
      {SOL_SOCKET, SO_KEEPALIVE, 1},
      {IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveSeconds},
      {IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveSeconds},
      {IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes},
  };
  for (const auto& option : options) {
    if (const int error = SetInt(fd_, option.level, option.name, option.value)) return error;
  }
  // OPT_ID needs a connection on some kernels; the number of a report is not used, so it is left out where it is refused.
  if (SetInt(fd_, SOL_SOCKET, SO_TIMESTAMPING, reports) == 0) return 0;
  return SetInt(fd_, SOL_SOCKET, SO_TIMESTAMPING, reports & ~SOF_TIMESTAMPING_OPT_ID);
}

int TcpSocket::TakeError() {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int TcpSocket::LocalAddress(TcpAddress* out) const {
  out->size = sizeof out->storage;
  return getsockname(fd_, out->raw(), &out->size) == 0 ? 0 : errno;
}

TcpSocket::Moved TcpSocket::Read(uint8_t* into, size_t size) {
  for (;;) {
    const ssize_t got = recv(fd_, into, size, MSG_DONTWAIT);
    if (got >= 0) return {static_cast<size_t>(got), 0};
    if (errno != EINTR) return {0, errno == EWOULDBLOCK ? EAGAIN : errno};
  }
}

TcpSocket::Moved TcpSocket::Write(iovec* segments, size_t count) {
  msghdr message = {};
  message.msg_iov = segments;
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      written_ += static_cast<size_t>(sent);
      return {static_cast<size_t>(sent), 0};
    }
    if (errno != EINTR) return {0, errno == EWOULDBLOCK ? EAGAIN : errno};
  }
}

uint64_t TcpSocket::AckPosition() const {
  if (fd_ < 0) return final_;
  int unacked = 0;
  if (ioctl(fd_, SIOCOUTQ, &unacked) != 0) return 0;
  // The end of the stream, once the kernel has sent it, counts as a byte that was not written here.
  return static_cast<uint64_t>(unacked) > written_ ? 0 : written_ - static_cast<uint64_t>(unacked);
}

bool TcpSocket::TakeAckReports() {
  bool found = false;
  for (;;) {
    // The content of a report is of no interest: it may be cut.
    msghdr message = {};
    const ssize_t got = recvmsg(fd_, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (got < 0 && errno != EINTR) return found;
    if (got >= 0) found = true;
  }
}

void TcpSocket::Close() {
  if (fd_ < 0) return;
  final_ = AckPosition();
  close(std::exchange(fd_, -1));
}

void TcpSocket::Reset() {
  if (fd_ < 0) return;
  const linger at_once = {1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  Close();
}

}  // namespace verbena
