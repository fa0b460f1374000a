// Messages there and back over a plain TCP connection of this host: the loop that `pnpm bench rds` compares with.
//   tcp-echo frames|stream LENGTH DEPTH COUNT
// Two processes. The parent keeps DEPTH messages of LENGTH bytes behind a header of 48 under way until COUNT have come back; reads are of up to
// 256 KiB, and all that can be written goes out in one call. With `frames` both cut what they read into messages by the length in the header, each
// gets memory of its own for as long as it lives, and is copied into it when it is made or has come: what a message service has to do. With
// `stream` the child sends back whatever bytes come, and the parent counts them: what the kernel alone can do. Prints messages per second and
// the CPU seconds of both.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "check.h"

namespace {

constexpr size_t kBlock = 256 * 1024;
constexpr size_t kHeader = 48;
constexpr size_t kLengthAt = 16;
constexpr size_t kMaxSegments = 1024;

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

// Header and payload.
struct Message {
  explicit Message(size_t length) : size(kHeader + length), bytes(new char[size]) {}

  size_t size;
  std::unique_ptr<char[]> bytes;
};

Message MakeMessage(const std::vector<char>& payload) {
  Message message(payload.size());
  memset(message.bytes.get(), 0, kHeader);
  const uint32_t length = htonl(static_cast<uint32_t>(payload.size()));
  memcpy(message.bytes.get() + kLengthAt, &length, sizeof length);
  memcpy(message.bytes.get() + kHeader, payload.data(), payload.size());
  return message;
}

void WriteMessages(int fd, const std::vector<Message>& messages) {
  std::vector<iovec> segments;
  for (const Message& message : messages) segments.push_back({message.bytes.get(), message.size});
  for (size_t at = 0; at < segments.size();) {
    msghdr call = {};
    call.msg_iov = &segments[at];
    call.msg_iovlen = segments.size() - at < kMaxSegments ? segments.size() - at : kMaxSegments;
    const ssize_t sent = sendmsg(fd, &call, MSG_NOSIGNAL);
    CHECK(sent > 0);
    size_t left = static_cast<size_t>(sent);
    for (; at < segments.size() && left >= segments[at].iov_len; at++) left -= segments[at].iov_len;
    if (left == 0) continue;
    segments[at] = {static_cast<char*>(segments[at].iov_base) + left, segments[at].iov_len - left};
  }
}

// Cuts a stream into messages.
class Framer {
 public:
  // Reads once; the messages that are whole then. Empty at the end of the stream.
  std::vector<Message> Read(int fd) {
    std::vector<Message> messages;
    while (messages.empty()) {
      const ssize_t got = recv(fd, block_.data(), block_.size(), 0);
      if (got <= 0) break;
      Cut(block_.data(), static_cast<size_t>(got), &messages);
    }
    return messages;
  }

 private:
  void Cut(const char* data, size_t size, std::vector<Message>* messages) {
    while (size > 0) {
      if (has_ < kHeader) {
        const size_t took = Take(header_.data() + has_, kHeader - has_, &data, &size);
        has_ += took;
        if (has_ < kHeader) return;
        uint32_t length = 0;
        memcpy(&length, header_.data() + kLengthAt, sizeof length);
        messages_.emplace_back(ntohl(length));
        memcpy(messages_.back().bytes.get(), header_.data(), kHeader);
      }
      Message& message = messages_.back();
      has_ += Take(message.bytes.get() + has_, message.size - has_, &data, &size);
      if (has_ < message.size) return;
      messages->push_back(std::move(message));
      messages_.clear();
      has_ = 0;
    }
  }

  static size_t Take(char* into, size_t wanted, const char** data, size_t* size) {
    const size_t took = wanted < *size ? wanted : *size;
    memcpy(into, *data, took);
    *data += took;
    *size -= took;
    return took;
  }

  std::vector<char> block_ = std::vector<char>(kBlock);
  std::vector<char> header_ = std::vector<char>(kHeader);
  // Bytes of the message under way, header included; it is in `messages_` once its header is there.
  size_t has_ = 0;
  std::vector<Message> messages_;
};

[[noreturn]] void EchoFrames(int fd) {
  Framer framer;
  for (;;) {
    const std::vector<Message> messages = framer.Read(fd);
    if (messages.empty()) _exit(0);
    WriteMessages(fd, messages);
  }
}

void DriveFrames(int fd, size_t length, long depth, long count) {
  const std::vector<char> payload(length, 'x');
  Framer framer;
  long sent = 0;
  for (long back = 0; back < count;) {
    std::vector<Message> messages;
    for (; sent < count && sent - back < depth; sent++) messages.push_back(MakeMessage(payload));
    WriteMessages(fd, messages);
    const std::vector<Message> came = framer.Read(fd);
    CHECK(!came.empty());
    back += static_cast<long>(came.size());
  }
}

[[noreturn]] void EchoStream(int fd) {
  std::vector<char> block(kBlock);
  for (;;) {
    const ssize_t got = recv(fd, block.data(), block.size(), 0);
    if (got <= 0) _exit(0);
    WriteAll(fd, block.data(), static_cast<size_t>(got));
  }
}

void DriveStream(int fd, size_t length, long depth, long count) {
  const size_t size = kHeader + length;
  const std::vector<char> out(size * static_cast<size_t>(depth), 'x');
  std::vector<char> block(kBlock);
  long sent = 0;
  for (size_t back = 0; back < size * static_cast<size_t>(count);) {
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
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 5);
  const bool has_frames = strcmp(argv[1], "frames") == 0;
  const size_t length = static_cast<size_t>(atoll(argv[2]));
  const long depth = atol(argv[3]);
  const long count = atol(argv[4]);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  CHECK_EQ(listen(listener, 1), 0);
  socklen_t address_size = sizeof address;
  CHECK_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &address_size), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = accept(listener, nullptr, nullptr);
    CHECK(fd >= 0);
    NoDelay(fd);
    if (has_frames) EchoFrames(fd);
    EchoStream(fd);
  }
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  NoDelay(fd);
  const double begun = Now();
  if (has_frames) {
    DriveFrames(fd, length, depth, count);
  } else {
    DriveStream(fd, length, depth, count);
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
