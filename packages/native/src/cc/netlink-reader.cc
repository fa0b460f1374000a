#include "netlink-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace verbena {

NetlinkReader::~NetlinkReader() { Close(); }

int NetlinkReader::Open(int protocol, uint32_t groups, const char** syscall) {
  *syscall = "socket";
  fd_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  if (fd_ < 0) return errno;
  sockaddr_nl address = {};
  address.nl_family = AF_NETLINK;
  address.nl_groups = groups;
  *syscall = "bind";
  if (bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    EnlargeBuffer();
    return 0;
  }
  const int error = errno;
  Close();
  return error;
}

int NetlinkReader::Adopt(int fd, const char** syscall) {
  *syscall = "getsockopt";
  int family = 0;
  socklen_t size = sizeof family;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return errno;
  if (family != AF_NETLINK) return EAFNOSUPPORT;
  *syscall = "fcntl";
  const int status = fcntl(fd, F_GETFL);
  const int flags = fcntl(fd, F_GETFD);
  if (status < 0 || flags < 0) return errno;
  if (fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) return errno;
  fd_ = fd;
  EnlargeBuffer();
  return 0;
}

void NetlinkReader::EnlargeBuffer() {
  // Beyond the system's limit only with CAP_NET_ADMIN; without it as much as the limit allows. A small buffer is no failure.
  if (setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer) == 0) return;
  setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
}

void NetlinkReader::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

int NetlinkReader::Send(const uint8_t* data, size_t size) {
  sockaddr_nl kernel = {};
  kernel.nl_family = AF_NETLINK;
  const ssize_t sent = sendto(fd_, data, size, 0, reinterpret_cast<sockaddr*>(&kernel), sizeof kernel);
  return sent < 0 ? errno : 0;
}

NetlinkReader::Outcome NetlinkReader::Receive(std::vector<std::vector<uint8_t>>* datagrams) {
  size_t bytes = 0;
  for (int count = 0; count < kMaxDatagrams && bytes < kMaxBytes;) {
    // With MSG_TRUNC the kernel tells the whole length, so no datagram is ever cut.
    const ssize_t size = recv(fd_, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    if (size >= 0) {
      std::vector<uint8_t> datagram(static_cast<size_t>(size));
      sockaddr_nl sender = {};
      socklen_t sender_size = sizeof sender;
      const ssize_t got = recvfrom(fd_, datagram.data(), datagram.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&sender), &sender_size);
      if (got >= 0) {
        count++;
        // Port id 0 is the kernel. Any local process may write to a netlink socket; it must not be believed.
        if (sender.nl_pid != 0) continue;
        bytes += datagram.size();
        datagrams->push_back(std::move(datagram));
        continue;
      }
    }
    error_ = errno;
    if (error_ == EINTR) continue;
    if (error_ == EAGAIN || error_ == EWOULDBLOCK) return Outcome::kDrained;
    return error_ == ENOBUFS ? Outcome::kOverflow : Outcome::kFailed;
  }
  return Outcome::kMore;
}

}  // namespace verbena
