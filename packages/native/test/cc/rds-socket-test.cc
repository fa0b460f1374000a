// RdsSocket over UDP sockets, which every machine has: what it does with datagrams, control messages and readiness is the same.
#include "rds/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <vector>

#include "check.h"

using verbena::FlattenControl;
using verbena::RdsControl;
using verbena::RdsRecord;
using verbena::RdsSocket;

namespace {

// A UDP socket on 127.0.0.1, and its address.
void OpenUdp(sockaddr_in* address, RdsSocket* out) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  *address = {};
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof *address;
  CHECK_EQ(bind(fd, reinterpret_cast<sockaddr*>(address), size), 0);
  CHECK_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(address), &size), 0);
  const char* syscall = "";
  CHECK_EQ(out->Duplicate(fd, &syscall), 0);
  close(fd);
}

void SendText(RdsSocket& from, const sockaddr_in& to, const char* text) {
  // In two parts, as the payload of one message.
  const size_t size = strlen(text);
  const iovec parts[] = {{const_cast<char*>(text), size / 2}, {const_cast<char*>(text) + size / 2, size - size / 2}};
  const auto* address = reinterpret_cast<const uint8_t*>(&to);
  CHECK_EQ(from.Send(parts, 2, address, sizeof to, nullptr, 0), static_cast<ssize_t>(size));
}

RdsRecord RecordAt(const std::vector<uint8_t>& block, int index) {
  RdsRecord record;
  memcpy(&record, block.data() + static_cast<size_t>(index) * sizeof record, sizeof record);
  return record;
}

void TestFlattenControl() {
  alignas(cmsghdr) uint8_t control[CMSG_SPACE(8) + CMSG_SPACE(3)] = {};
  msghdr message = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* first = CMSG_FIRSTHDR(&message);
  *first = {CMSG_LEN(8), 276, 5};
  memset(CMSG_DATA(first), 0x11, 8);
  cmsghdr* second = reinterpret_cast<cmsghdr*>(control + CMSG_SPACE(8));
  *second = {CMSG_LEN(3), SOL_SOCKET, 29};
  memset(CMSG_DATA(second), 0x22, 3);

  alignas(8) uint8_t flat[verbena::FlatControlRoom(sizeof control)];
  CHECK_EQ(FlattenControl(message, flat), 16 + 8 + 16 + 8);
  RdsControl head;
  memcpy(&head, flat, sizeof head);
  CHECK_EQ(head.level, 276);
  CHECK_EQ(head.type, 5);
  CHECK_EQ(head.size, 8);
  CHECK_EQ(flat[16], 0x11);
  memcpy(&head, flat + 24, sizeof head);
  CHECK_EQ(head.type, 29);
  CHECK_EQ(head.size, 3);
  CHECK_EQ(flat[24 + 16 + 2], 0x22);
  CHECK_EQ(flat[24 + 16 + 3], 0);

  // The buffer ends inside the second one.
  message.msg_controllen = CMSG_SPACE(8) + CMSG_LEN(0) + 1;
  CHECK_EQ(FlattenControl(message, flat), 24 + 16 + 8);
  memcpy(&head, flat + 24, sizeof head);
  CHECK_EQ(head.size, 1);
  message.msg_controllen = 0;
  CHECK_EQ(FlattenControl(message, flat), 0);
}

}  // namespace

int main() {
  TestFlattenControl();
  sockaddr_in here, there;
  const char* syscall = "";
  RdsSocket receiver, sender;
  OpenUdp(&here, &receiver);
  OpenUdp(&there, &sender);

  std::vector<uint8_t> block(4096);
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 4, 64, false), -EAGAIN);
  SendText(sender, here, "hello world");
  SendText(sender, here, "");
  SendText(sender, here, "second");

  // A look leaves the message, and takes what was asked for.
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 4, 4, true), 1);
  CHECK_EQ(RecordAt(block, 0).length, 11);
  CHECK_EQ(RecordAt(block, 0).copied, 4);
  CHECK((RecordAt(block, 0).flags & MSG_TRUNC) != 0);
  CHECK_EQ(memcmp(block.data() + RecordAt(block, 0).offset, "hell", 4), 0);

  // A batch: each with its sender; an empty message has one too.
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 4, 64, false), 3);
  const RdsRecord whole = RecordAt(block, 0), empty = RecordAt(block, 1), last = RecordAt(block, 2);
  CHECK_EQ(whole.offset, 4 * sizeof(RdsRecord));
  CHECK_EQ(whole.copied, 11);
  CHECK_EQ(whole.flags & MSG_TRUNC, 0);
  CHECK_EQ(memcmp(block.data() + whole.offset, "hello world", 11), 0);
  CHECK_EQ(empty.length, 0);
  CHECK_EQ(empty.name_size, sizeof there);
  CHECK_EQ(memcmp(empty.name, &there, 8), 0);
  CHECK_EQ(memcmp(block.data() + last.offset, "second", 6), 0);
  CHECK_EQ(whole.control_size, 0);

  // Control messages only where there is room for them.
  const int on = 1;
  CHECK_EQ(receiver.SetOption(SOL_SOCKET, SO_TIMESTAMP, reinterpret_cast<const uint8_t*>(&on), sizeof on), 0);
  SendText(sender, here, "stamped");
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 1, 64, true), 1);
  CHECK((RecordAt(block, 0).flags & MSG_CTRUNC) != 0);
  receiver.set_control_size(112);
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 1, 64, false), 1);
  const RdsRecord stamped = RecordAt(block, 0);
  CHECK_EQ(stamped.control_size, 16 + 16);
  RdsControl head;
  memcpy(&head, block.data() + stamped.control_offset, sizeof head);
  CHECK_EQ(head.level, SOL_SOCKET);
  CHECK_EQ(head.type, SO_TIMESTAMP);
  CHECK_EQ(head.size, 16);

  // A batch ends where the next message might not fit in.
  SendText(sender, here, "one");
  SendText(sender, here, "two");
  CHECK_EQ(receiver.Receive(block.data(), 2 * sizeof(RdsRecord) + 2 * 112 + 8 + 64, 2, 64, false), 1);
  CHECK_EQ(receiver.Receive(block.data(), block.size(), 2, 64, false), 1);
  // No room at all is no message.
  CHECK_EQ(receiver.Receive(block.data(), 16, 1, 64, false), 0);

  // Readiness is of what happens: a message that is left alone does not repeat it, another one does.
  pollfd ready = {receiver.events_fd(), POLLIN, 0};
  receiver.TakeEvents();
  CHECK_EQ(poll(&ready, 1, 0), 0);
  SendText(sender, here, "event");
  CHECK_EQ(poll(&ready, 1, 5000), 1);
  CHECK((receiver.TakeEvents() & EPOLLIN) != 0);
  CHECK_EQ(poll(&ready, 1, 0), 0);
  SendText(sender, here, "again");
  CHECK_EQ(poll(&ready, 1, 5000), 1);

  CHECK_EQ(receiver.Poll(), POLLIN | POLLOUT);
  CHECK_EQ(sender.Poll(), POLLOUT);

  // Names and options.
  std::vector<uint8_t> bytes;
  CHECK_EQ(receiver.Name(false, &bytes), 0);
  CHECK_EQ(bytes.size(), sizeof here);
  CHECK_EQ(memcmp(bytes.data(), &here, 8), 0);
  CHECK_EQ(receiver.Name(true, &bytes), ENOTCONN);
  CHECK_EQ(receiver.Connect(reinterpret_cast<const uint8_t*>(&there), sizeof there), 0);
  CHECK_EQ(receiver.Name(true, &bytes), 0);
  CHECK_EQ(memcmp(bytes.data(), &there, 8), 0);
  CHECK_EQ(receiver.Bind(reinterpret_cast<const uint8_t*>(&here), sizeof here), EINVAL);
  bytes.assign(8, 0);
  CHECK_EQ(receiver.GetOption(SOL_SOCKET, SO_RCVBUF, &bytes), 0);
  CHECK_EQ(bytes.size(), sizeof(int));
  size_t element_size = 1;
  CHECK_EQ(receiver.Info(10000, &bytes, &element_size), EOPNOTSUPP);
  uint8_t value = 0;
  CHECK(receiver.IoctlByte(0x89E1, &value) != 0);

  receiver.Close();
  CHECK(!receiver.is_open());
  const iovec nothing = {nullptr, 0};
  CHECK_EQ(receiver.Send(&nothing, 1, nullptr, 0, nullptr, 0), -EBADF);
  RdsSocket refused;
  CHECK_EQ(refused.Duplicate(-1, &syscall), EBADF);
  CHECK(strcmp(syscall, "fcntl") == 0);
  return 0;
}
