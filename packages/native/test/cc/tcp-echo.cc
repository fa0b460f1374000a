// Messages there and back over a plain TCP connection of this host: the loop that `pnpm bench rds` compares with.
//   tcp-echo LENGTH DEPTH COUNT
// A child sends back whatever comes. The parent keeps DEPTH messages of LENGTH bytes behind a header of 48 under way until COUNT have come
// back, with a write for as many as there is room for and reads of up to 256 KiB. Prints messages per second and the CPU seconds of both.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr size_t kBlock = 256 * 1024;
constexpr size_t kHeader = 48;

double Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t wrote = send(fd, data, size, MSG_NOSIGNAL);
    CHECK(wrote > 0);
    data += wrote;
    size -= static_cast<size_t>(wrote);
  }
}

void NoDelay(int fd) {
  const int on = 1;
  CHECK_EQ(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
}

[[noreturn]] void Echo(int listener) {
  const int fd = accept(listener, nullptr, nullptr);
  CHECK(fd >= 0);
  NoDelay(fd);
  std::vector<char> block(kBlock);
  for (;;) {
    const ssize_t got = recv(fd, block.data(), block.size(), 0);
    if (got <= 0) _exit(0);
    WriteAll(fd, block.data(), static_cast<size_t>(got));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 4);
  const size_t size = kHeader + static_cast<size_t>(atoll(argv[1]));
  const long depth = atol(argv[2]);
  const long count = atol(argv[3]);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  CHECK_EQ(listen(listener, 1), 0);
  socklen_t length = sizeof address;
  CHECK_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const pid_t child = fork();
  if (child == 0) Echo(listener);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  NoDelay(fd);
  const std::vector<char> out(size * static_cast<size_t>(depth), 'x');
  std::vector<char> block(kBlock);
  const double begun = Now();
  long sent = 0;
  size_t back = 0;
  while (back < size * static_cast<size_t>(count)) {
    const long returned = static_cast<long>(back / size);
    long room = depth - (sent - returned);
    if (room > count - sent) room = count - sent;
    if (room > 0) {
      WriteAll(fd, out.data(), size * static_cast<size_t>(room));
      sent += room;
    }
    const ssize_t got = recv(fd, block.data(), block.size(), 0);
    CHECK(got > 0);
    back += static_cast<size_t>(got);
  }
  const double took = Now() - begun;
  close(fd);
  waitpid(child, nullptr, 0);
  double cpu = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) cpu += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) / 1e6;
  }
  printf("%.0f %.3f\n", static_cast<double>(count) / took, cpu);
  return 0;
}
