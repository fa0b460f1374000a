#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace verbena {
namespace {

int ReadOption(int fd, int option, int* out) {
  socklen_t size = sizeof *out;
  return getsockopt(fd, SOL_SOCKET, option, out, &size) == 0 ? 0 : errno;
}

}  // namespace

int ReadPeerCredentials(int fd, PeerCredentials* out) {
  int family = 0;
  if (const int error = ReadOption(fd, SO_DOMAIN, &family)) return error;
  if (family != AF_UNIX) return ENOTCONN;
  ucred credentials = {};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return errno;
  if (credentials.pid == 0) return ENOTCONN;  // not connected, or the peer is in a process-id name space we cannot see
  *out = {credentials.pid, credentials.uid, credentials.gid};
  return 0;
}

int DescribeSocket(int fd, SocketFacts* out) {
  int listening = 0;
  if (const int error = ReadOption(fd, SO_DOMAIN, &out->family)) return error;
  if (const int error = ReadOption(fd, SO_TYPE, &out->type)) return error;
  if (const int error = ReadOption(fd, SO_PROTOCOL, &out->protocol)) return error;
  // Sockets that cannot listen do not all know the question.
  out->is_listening = ReadOption(fd, SO_ACCEPTCONN, &listening) == 0 && listening != 0;
  const int flags = fcntl(fd, F_GETFD);
  if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) return errno;
  return 0;
}

int SendDatagram(const std::string& path, const uint8_t* data, size_t size, const char** syscall) {
  *syscall = "sendto";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (path[0] == '@' ? 0 : 1));
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    *syscall = "socket";
    return errno;
  }
  const ssize_t sent = sendto(fd, data, size, MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), length);
  const int error = sent < 0 ? errno : 0;
  close(fd);
  return error;
}

int LockFile(const std::string& path, mode_t mode, int* fd, const char** syscall) {
  *syscall = "open";
  *fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode);
  if (*fd < 0) return errno;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  *syscall = "fcntl";
  if (fcntl(*fd, F_OFD_SETLK, &lock) == 0) return 0;
  const int error = errno == EACCES ? EAGAIN : errno;
  close(*fd);
  *fd = -1;
  return error;
}

}  // namespace verbena
