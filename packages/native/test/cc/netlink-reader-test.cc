// NetlinkReader with the kernel at the other end.
#include "netlink-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

using verbena::NetlinkReader;

int main() {
  NetlinkReader reader;
  const char* syscall = "";
  CHECK_EQ(reader.Open(NETLINK_ROUTE, RTMGRP_LINK, &syscall), 0);
  std::vector<std::vector<uint8_t>> datagrams;
  CHECK(reader.Receive(&datagrams) == NetlinkReader::Outcome::kDrained);
  CHECK_EQ(datagrams.size(), 0);

  struct {
    nlmsghdr header;
    ifinfomsg link;
  } request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = 42;
  CHECK_EQ(reader.Send(reinterpret_cast<uint8_t*>(&request), sizeof request), 0);
  pollfd ready = {reader.fd(), POLLIN, 0};
  uint16_t last_type = 0;
  while (last_type != NLMSG_DONE) {
    CHECK_EQ(poll(&ready, 1, 5000), 1);
    datagrams.clear();
    CHECK(reader.Receive(&datagrams) == NetlinkReader::Outcome::kDrained);
    CHECK(!datagrams.empty());
    for (const auto& datagram : datagrams) {
      nlmsghdr header;
      memcpy(&header, datagram.data(), sizeof header);
      CHECK_EQ(header.nlmsg_seq, 42);
      last_type = header.nlmsg_type;
    }
  }

  // A datagram of another process is dropped: it could forge addresses.
  sockaddr_nl own = {};
  socklen_t size = sizeof own;
  CHECK_EQ(getsockname(reader.fd(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  const int forger = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  own.nl_groups = 0;
  const ssize_t sent = sendto(forger, &request, sizeof request, 0, reinterpret_cast<sockaddr*>(&own), sizeof own);
  datagrams.clear();
  CHECK(reader.Receive(&datagrams) == NetlinkReader::Outcome::kDrained);
  CHECK_EQ(datagrams.size(), 0);
  CHECK(sent == sizeof request || errno == EPERM || errno == ECONNREFUSED);
  close(forger);

  reader.Close();
  CHECK(reader.Receive(&datagrams) == NetlinkReader::Outcome::kFailed);
  CHECK_EQ(reader.error(), EBADF);

  // A socket that somebody else has opened is read without blocking, and not inherited by children.
  const int handed_over = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  NetlinkReader adopted;
  CHECK_EQ(adopted.Adopt(handed_over, &syscall), 0);
  CHECK_EQ(adopted.fd(), handed_over);
  CHECK(adopted.Receive(&datagrams) == NetlinkReader::Outcome::kDrained);
  CHECK((fcntl(handed_over, F_GETFL) & O_NONBLOCK) != 0);
  CHECK((fcntl(handed_over, F_GETFD) & FD_CLOEXEC) != 0);
  adopted.Close();
  CHECK_EQ(fcntl(handed_over, F_GETFD), -1);
  NetlinkReader refused;
  const int other = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQ(refused.Adopt(other, &syscall), EAFNOSUPPORT);
  CHECK_EQ(refused.fd(), -1);
  CHECK_EQ(close(other), 0);
  CHECK_EQ(refused.Adopt(other, &syscall), EBADF);

  NetlinkReader unknown;
  CHECK_EQ(unknown.Open(255, 0, &syscall), EPROTONOSUPPORT);
  CHECK(strcmp(syscall, "socket") == 0);
  return 0;
}
