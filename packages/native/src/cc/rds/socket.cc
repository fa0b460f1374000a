#include "rds/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace verbena {
namespace {

constexpr size_t Align8(size_t size) { return (size + 7) & ~size_t{7}; }

const sockaddr* AsAddress(const uint8_t* address) { return reinterpret_cast<const sockaddr*>(address); }

}  // namespace

RdsSocket::~RdsSocket() { Close(); }

int RdsSocket::Open(const char** syscall) {
  *syscall = "socket";
  fd_ = socket(kFamily, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return fd_ < 0 ? errno : Watch(syscall);
}

int RdsSocket::Duplicate(int fd, const char** syscall) {
  *syscall = "fcntl";
  fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return fd_ < 0 ? errno : Watch(syscall);
}

int RdsSocket::Watch(const char** syscall) {
  *syscall = "epoll_create1";
  events_fd_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLOUT | EPOLLET;
  if (events_fd_ >= 0) {
    *syscall = "epoll_ctl";
    if (epoll_ctl(events_fd_, EPOLL_CTL_ADD, fd_, &event) == 0) return 0;
  }
  const int error = errno;
  Close();
  return error;
}

void RdsSocket::Close() {
  if (events_fd_ >= 0) close(std::exchange(events_fd_, -1));
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

int RdsSocket::Bind(const uint8_t* address, size_t size) {
  return bind(fd_, AsAddress(address), static_cast<socklen_t>(size)) == 0 ? 0 : errno;
}

int RdsSocket::Connect(const uint8_t* address, size_t size) {
  return connect(fd_, AsAddress(address), static_cast<socklen_t>(size)) == 0 ? 0 : errno;
}

int RdsSocket::Name(bool is_peer, std::vector<uint8_t>* out) const {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if ((is_peer ? getpeername(fd_, address, &size) : getsockname(fd_, address, &size)) != 0) return errno;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&storage);
  out->assign(bytes, bytes + std::min<size_t>(size, sizeof storage));
  return 0;
}

int RdsSocket::SetOption(int level, int option, const uint8_t* value, size_t size) {
  return setsockopt(fd_, level, option, value, static_cast<socklen_t>(size)) == 0 ? 0 : errno;
}

int RdsSocket::GetOption(int level, int option, std::vector<uint8_t>* out) const {
  auto size = static_cast<socklen_t>(out->size());
  if (getsockopt(fd_, level, option, out->data(), &size) < 0) return errno;
  out->resize(std::min<size_t>(size, out->size()));
  return 0;
}

int RdsSocket::Info(int option, std::vector<uint8_t>* out, size_t* element_size) const {
  *element_size = 0;
  out->clear();
  for (int attempt = 0; attempt < 8; attempt++) {
    auto size = static_cast<socklen_t>(out->size());
    const int result = getsockopt(fd_, kLevel, option, out->data(), &size);
    if (result >= 0) {
      *element_size = static_cast<size_t>(result);
      out->resize(std::min<size_t>(size, out->size()));
      return 0;
    }
    if (errno != ENOSPC) return errno;
    // The list may grow before it is read.
    out->resize(size + size / 8);
  }
  return ENOSPC;
}

int RdsSocket::IoctlByte(unsigned long request, uint8_t* value) { return ioctl(fd_, request, value) == 0 ? 0 : errno; }

ssize_t RdsSocket::Send(const iovec* parts, size_t count, const uint8_t* address, size_t address_size, const uint8_t* control,
                        size_t control_size) {
  msghdr message = {};
  message.msg_name = const_cast<uint8_t*>(address);
  message.msg_namelen = static_cast<socklen_t>(address_size);
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = count;
  message.msg_control = const_cast<uint8_t*>(control);
  message.msg_controllen = control_size;
  const ssize_t sent = sendmsg(fd_, &message, MSG_DONTWAIT);
  return sent < 0 ? -errno : sent;
}

int RdsSocket::Receive(uint8_t* block, size_t size, int max, size_t limit, bool peek) {
  size_t at = static_cast<size_t>(max) * sizeof(RdsRecord);
  int count = 0;
  while (count < max) {
    const size_t tail = FlatControlRoom(control_.size()) + 8;
    if (at + tail > size || (count > 0 && size - at - tail < limit)) break;
    const size_t room = std::min(limit, size - at - tail);
    RdsRecord record = {};
    iovec data = {block + at, room};
    msghdr message = {};
    message.msg_name = record.name;
    message.msg_namelen = sizeof record.name;
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control_.empty() ? nullptr : control_.data();
    message.msg_controllen = control_.size();
    // With MSG_TRUNC the kernel tells the whole length.
    const ssize_t length = recvmsg(fd_, &message, MSG_DONTWAIT | MSG_TRUNC | (peek ? MSG_PEEK : 0));
    if (length < 0) {
      if (errno == EINTR) continue;
      if (count == 0) return -errno;
      break;
    }
    record.offset = static_cast<uint32_t>(at);
    record.length = static_cast<uint32_t>(length);
    record.copied = static_cast<uint32_t>(std::min<size_t>(static_cast<size_t>(length), room));
    record.flags = static_cast<uint32_t>(message.msg_flags);
    record.name_size = std::min<uint32_t>(message.msg_namelen, sizeof record.name);
    at = Align8(at + record.copied);
    record.control_offset = static_cast<uint32_t>(at);
    if (!control_.empty()) record.control_size = static_cast<uint32_t>(FlattenControl(message, block + at));
    at += record.control_size;
    std::memcpy(block + static_cast<size_t>(count) * sizeof record, &record, sizeof record);
    count++;
    // The next look would show the same message.
    if (peek && record.name_size > 0) break;
  }
  return count;
}

uint32_t RdsSocket::Poll() const {
  pollfd state = {fd_, POLLIN | POLLOUT, 0};
  return poll(&state, 1, 0) == 1 ? static_cast<uint32_t>(state.revents) & (POLLIN | POLLOUT | POLLERR) : 0;
}

uint32_t RdsSocket::TakeEvents() {
  epoll_event event = {};
  return epoll_wait(events_fd_, &event, 1, 0) == 1 ? event.events : 0;
}

}  // namespace verbena
