#include "front/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace verbena::front {
namespace {

int Fail(int fd, const char* what, const char** syscall) {
  const int error = errno;
  *syscall = what;
  close(fd);
  return error;
}

int BindAndListen(int family, const sockaddr* address, socklen_t size, int backlog, int* out, const char** syscall) {
  const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    *syscall = "socket";
    return errno;
  }
  const int on = 1;
  // After a restart the port may still be busy with connections that are long over.
  if (family == AF_INET && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return Fail(fd, "setsockopt", syscall);
  if (bind(fd, address, size) != 0) return Fail(fd, "bind", syscall);
  if (listen(fd, backlog) != 0) return Fail(fd, "listen", syscall);
  *out = fd;
  return 0;
}

}  // namespace

int ListenOnPath(const std::string& path, int backlog, int* fd, const char** syscall) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    *syscall = "bind";
    return ENAMETOOLONG;
  }
  memcpy(address.sun_path, path.data(), path.size());
  return BindAndListen(AF_UNIX, reinterpret_cast<sockaddr*>(&address), sizeof address, backlog, fd, syscall);
}

int ListenOnTcp(const std::string& host, uint16_t* port, int backlog, int* fd, const char** syscall) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(*port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    *syscall = "bind";
    return EINVAL;
  }
  if (const int error = BindAndListen(AF_INET, reinterpret_cast<sockaddr*>(&address), sizeof address, backlog, fd, syscall)) {
    return error;
  }
  socklen_t size = sizeof address;
  if (getsockname(*fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return Fail(*fd, "getsockname", syscall);
  *port = ntohs(address.sin_port);
  return 0;
}

int ListenOnDescriptor(int fd, int backlog, const char** syscall) {
  *syscall = "fcntl";
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return errno;
  *syscall = "listen";
  return listen(fd, backlog) == 0 ? 0 : errno;
}

}  // namespace verbena::front
