// Binds a Unix datagram socket to argv[1] (`@name`: abstract), says "ready", prints the first datagram and ends. For tests of notify():
// Node itself has no such sockets.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "check.h"

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t length = strlen(argv[1]);
  CHECK(length < sizeof address.sun_path);
  memcpy(address.sun_path, argv[1], length);
  if (argv[1][0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  CHECK_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  puts("ready");
  fflush(stdout);
  char text[4096];
  const ssize_t got = recv(fd, text, sizeof text, 0);
  CHECK(got >= 0);
  fwrite(text, 1, static_cast<size_t>(got), stdout);
  return 0;
}
