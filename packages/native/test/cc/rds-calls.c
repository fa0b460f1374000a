// Calls on AF_RDS that the library makes impossible, and what the kernel says: the rows of the conformance list that are about the
// system's own interface. Prints one line for each: its identifier, then results; a call that fails gives the name of its errno.
//   rds-calls LOOPBACK LOCAL      an address that loopback serves, and one that TCP serves
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AF_RDS_ = 21, SOL_RDS_ = 276, CANCEL_SENT_TO = 1, CONG_MONITOR = 6, INFO_COUNTERS = 10000, INFO_SOCKETS = 10006 };

static const char *loopback, *local;

static void row(const char *name) { printf("\n%s", name); }

// The result of a call, as a word.
static void say(long result) {
  if (result < 0) {
    printf(" %s", strerrorname_np(errno));
  } else {
    printf(" %ld", result);
  }
}

static struct sockaddr_in at(const char *address, int port) {
  struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address, &out.sin_addr);
  return out;
}

static int open_socket(void) { return socket(AF_RDS_, SOCK_SEQPACKET, 0); }

static int bound(const char *address, int port) {
  const int fd = open_socket();
  const struct sockaddr_in name = at(address, port);
  if (bind(fd, (const struct sockaddr *)&name, sizeof name) != 0) {
    perror("bind");
    exit(1);
  }
  return fd;
}

static long send_to(int fd, const char *address, int port, size_t size, int flags) {
  static char bytes[1 << 16];
  const struct sockaddr_in to = at(address, port);
  return sendto(fd, bytes, size, flags, (const struct sockaddr *)&to, sizeof to);
}

static long receive(int fd, int flags) {
  static char bytes[1 << 16];
  return recv(fd, bytes, sizeof bytes, flags);
}

static void set_limit(int fd, int option, int value) { setsockopt(fd, SOL_SOCKET, option, &value, sizeof value); }

// Sends until the port is congested: the number of messages that were taken.
static int congest(int fd, const char *address, int port) {
  int count = 0;
  while (count < 1000 && send_to(fd, address, port, 1000, MSG_DONTWAIT) >= 0) count++;
  return count;
}

static void creation(void) {
  row("A01");
  say(socket(AF_RDS_, SOCK_STREAM, 0));
  say(socket(AF_RDS_, SOCK_DGRAM, 0));
  say(socket(AF_RDS_, SOCK_SEQPACKET, 1));
  row("A02");
  const int fd = bound(loopback, 4700);
  int pair[2];
  say(listen(fd, 1));
  say(accept(fd, NULL, NULL));
  say(shutdown(fd, SHUT_RDWR));
  say(socketpair(AF_RDS_, SOCK_SEQPACKET, 0, pair));
  close(fd);
  row("A03");
  const int fresh = open_socket();
  struct sockaddr_storage name = {.ss_family = 99};
  socklen_t size = sizeof name;
  say(getsockname(fresh, (struct sockaddr *)&name, &size));
  printf(" %d", name.ss_family);
  size = sizeof name;
  say(getpeername(fresh, (struct sockaddr *)&name, &size));
  row("A04");
  struct sockaddr_in bad = at(loopback, 4701);
  say(bind(fresh, (struct sockaddr *)&bad, 8));
  bad.sin_family = 1;
  say(bind(fresh, (struct sockaddr *)&bad, sizeof bad));
  row("A18");
  const int transports[] = {7, 1};
  const int64_t wide = 2;
  say(setsockopt(fresh, SOL_RDS_, 8, &transports[0], sizeof(int)));
  say(setsockopt(fresh, SOL_RDS_, 8, &wide, sizeof wide));
  say(setsockopt(fresh, SOL_RDS_, 8, &transports[1], sizeof(int)));
  row("B01");
  bad = at(loopback, 4000);
  say(connect(fresh, (struct sockaddr *)&bad, 8));
  bad.sin_family = 0;
  say(connect(fresh, (struct sockaddr *)&bad, sizeof bad));
  close(fresh);
}

static void messages(void) {
  const int fd = bound(loopback, 4710), peer = bound(loopback, 4711);
  struct sockaddr_in to = at(loopback, 4711);
  row("C03");
  say(sendto(fd, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&to, 8));
  to.sin_family = 1;
  say(sendto(fd, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to));
  row("C05");
  const int flags[] = {MSG_NOSIGNAL, MSG_OOB, MSG_MORE, MSG_EOR};
  for (int i = 0; i < 4; i++) say(send_to(fd, loopback, 4711, 1, flags[i] | MSG_DONTWAIT));
  row("C06");
  to = at(loopback, 4711);
  connect(fd, (struct sockaddr *)&to, sizeof to);
  say(write(fd, "x", 1));
  row("C18");
  struct iovec part = {"x", 1};
  struct mmsghdr batch[2];
  memset(batch, 0, sizeof batch);
  for (int i = 0; i < 2; i++) {
    batch[i].msg_hdr.msg_iov = &part;
    batch[i].msg_hdr.msg_iovlen = 1;
  }
  say(sendmmsg(fd, batch, 1, MSG_DONTWAIT));
  errno = 0;
  const int sent = sendmmsg(fd, batch, 2, MSG_DONTWAIT);
  say(sent);
  row("D04");
  // A busy kernel delivers behind the call that sent.
  struct pollfd delivered = {.fd = peer, .events = POLLIN};
  poll(&delivered, 1, 10000);
  say(receive(peer, MSG_OOB));
  say(receive(peer, MSG_DONTWAIT));
  row("G02");
  say(setsockopt(fd, SOL_RDS_, CANCEL_SENT_TO, NULL, 0));
  say(setsockopt(fd, SOL_RDS_, CANCEL_SENT_TO, &to, 8));
  say(setsockopt(fd, SOL_RDS_, CANCEL_SENT_TO, &to, 16));
  row("H08");
  socklen_t size = 0;
  say(getsockopt(fd, SOL_RDS_, INFO_COUNTERS, NULL, &size));
  char *list = malloc(size);
  say(getsockopt(fd, SOL_RDS_, INFO_COUNTERS, list, &size));
  free(list);
  size = 0;
  say(getsockopt(fd, SOL_RDS_, INFO_SOCKETS, NULL, &size));
  list = malloc(size);
  say(getsockopt(fd, SOL_RDS_, INFO_SOCKETS, list, &size));
  free(list);
  row("F12");
  int value = 0;
  size = sizeof value;
  say(getsockopt(fd, SOL_RDS_, CONG_MONITOR, &value, &size));
  close(fd);
  close(peer);
}

// The events that poll() reports at once.
static int poll_now(int fd) {
  struct pollfd one = {fd, POLLIN | POLLOUT | POLLWRBAND, 0};
  poll(&one, 1, 0);
  return one.revents;
}

// A child that takes everything `fd` has after some time.
static pid_t drain_later(int fd, int after_ms) {
  const pid_t child = fork();
  if (child != 0) return child;
  usleep((useconds_t)after_ms * 1000);
  while (receive(fd, MSG_DONTWAIT) >= 0) {
  }
  _exit(0);
}

// A sender whose poll() has seen all updates of congestion maps so far.
static int quiet_sender(int port) {
  const int fd = bound(local, port);
  while (poll_now(fd) & POLLIN) {
  }
  return fd;
}

static void readiness(void) {
  const int receiver = bound(local, 4720);
  set_limit(receiver, SO_RCVBUF, 10000);
  int sender = quiet_sender(4721);
  // The connection is up once something has come.
  send_to(sender, local, 4720, 1, MSG_DONTWAIT);
  receive(receiver, 0);
  row("L05");
  printf(" %d", congest(sender, local, 4720));
  pid_t child = drain_later(receiver, 300);
  struct pollfd one = {sender, POLLIN, 0};
  say(poll(&one, 1, 5000));
  waitpid(child, NULL, 0);
  close(sender);
  // An epoll set that has the socket before the port is congested.
  row("L06");
  sender = quiet_sender(4722);
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(set, EPOLL_CTL_ADD, sender, &event);
  printf(" %d", congest(sender, local, 4720));
  // That the port has become congested is a change too.
  while (epoll_wait(set, &event, 1, 100) > 0) {
  }
  child = drain_later(receiver, 300);
  say(epoll_wait(set, &event, 1, 1500));
  waitpid(child, NULL, 0);
  row("L08");
  printf(" %x", poll_now(sender) & (POLLIN | POLLWRBAND));
  printf(" %x", poll_now(sender) & (POLLIN | POLLWRBAND));
  close(set);
  // A mask of 64 bits: its low 32 bits decide.
  row("F11");
  const uint64_t mask = UINT64_C(1) << 40;
  say(setsockopt(sender, SOL_RDS_, CONG_MONITOR, &mask, sizeof mask));
  printf(" %d", congest(sender, local, 4720));
  while (receive(receiver, MSG_DONTWAIT) >= 0) {
  }
  say(receive(sender, MSG_DONTWAIT));
  close(sender);
  close(receiver);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  loopback = argv[1];
  local = argv[2];
  alarm(60);
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  creation();
  messages();
  // Children must not repeat what is not written yet.
  fflush(stdout);
  setvbuf(stdout, NULL, _IOLBF, 0);
  readiness();
  printf("\n");
  return 0;
}
