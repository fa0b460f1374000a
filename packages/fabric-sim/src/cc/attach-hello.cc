// Connecting: the one exchange that is done in the caller's thread, before a progress thread exists.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "attach-client.h"

extern "C" char *program_invocation_short_name;

namespace fabricsim {

namespace {

using Clock = std::chrono::steady_clock;

int remainingMs(Clock::time_point deadline) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

// Waits for `events`; false on time-out or error.
bool waitFor(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    struct pollfd entry = {fd, events, 0};
    int n = poll(&entry, 1, remainingMs(deadline));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

bool sendAll(int fd, const Bytes &bytes, Clock::time_point deadline) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      return false;
    } else if (!waitFor(fd, POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

bool receiveExactly(int fd, uint8_t *to, size_t length, Clock::time_point deadline) {
  size_t done = 0;
  while (done < length) {
    ssize_t n = recv(fd, to + done, length - done, 0);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      return false;
    } else if (!waitFor(fd, POLLIN, deadline)) {
      return false;
    }
  }
  return true;
}

int connectTo(const std::string &path, std::string &problem) {
  if (path.size() > attach::kMaxSocketPath) {
    problem = "socket path " + path + " has " + std::to_string(path.size()) + " bytes; Unix sockets allow 107";
    errno = ENAMETOOLONG;
    return -1;
  }
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  struct timeval limit = {attach::kCallTimeoutMs / 1000, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // bounds connect while the backlog is full
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (connect(fd, reinterpret_cast<struct sockaddr *>(&address), sizeof address) != 0) {
    int error = errno;
    problem = "no fabric answers at " + path + ": " + strerror(error);
    close(fd);
    errno = error;
    return -1;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

std::unique_ptr<AttachClient> AttachClient::attach(const std::string &directory, const std::string &nodes, int &error,
                                                   std::string &problem) {
  int fd = connectTo(directory + "/" + attach::kSocketName, problem);
  if (fd < 0) {
    error = errno;
    return nullptr;
  }
  auto client = std::make_unique<AttachClient>(fd);
  error = client->hello(nodes, problem);
  if (error != 0) return nullptr;
  return client;
}

int AttachClient::hello(const std::string &nodes, std::string &problem) {
  auto deadline = Clock::now() + std::chrono::milliseconds(attach::kCallTimeoutMs);
  problem = "the fabric does not answer as a fabric should";
  if (nodes.size() > 4096) return EINVAL;
  LeWriter body;
  body.u32(attach::kHelloMagic).u16(attach::kProtocolVersion).u16(0).u32(static_cast<uint32_t>(getpid()));
  body.text(nodes).text(program_invocation_short_name);
  lastTag_ = 1;
  LeWriter frame;
  frame.u32(static_cast<uint32_t>(attach::kFrameHeaderSize - 4 + body.bytes().size())).u16(attach::kHello).u16(0).u32(lastTag_);
  frame.raw(body.bytes());
  if (!sendAll(fd_, frame.bytes(), deadline)) return EIO;

  uint8_t head[attach::kFrameHeaderSize];
  if (!receiveExactly(fd_, head, sizeof head, deadline)) return EIO;
  LeReader reader({head, sizeof head});
  uint32_t length = reader.u32();
  uint16_t type = reader.u16();
  reader.u16();
  if (length < attach::kFrameHeaderSize - 4 || length > attach::kMaxFrame) return EPROTO;
  if (type != (attach::kHello | attach::kReplyBit) || reader.u32() != lastTag_) return EPROTO;
  Bytes answer(length - (attach::kFrameHeaderSize - 4));
  if (!receiveExactly(fd_, answer.data(), answer.size(), deadline)) return EIO;

  LeReader fields(answer);
  int status = static_cast<int>(fields.u32());
  if (!fields.ok()) return EPROTO;
  if (status != 0) {
    std::string text = fields.text();
    if (fields.ok() && !text.empty()) problem = text;
    return status > 0 && status < 4096 ? status : EPROTO;
  }
  uint16_t version = fields.u16();
  uint16_t count = fields.u16();
  if (version != attach::kProtocolVersion) return EPROTO;
  for (uint16_t i = 0; i < count; ++i) {
    uint32_t index = fields.u32();
    std::string page = fields.text();
    if (!fields.ok() || page.empty() || page.find('/') != std::string::npos || page.find('\0') != std::string::npos) return EPROTO;
    hcas_.push_back({index, page});
  }
  if (!fields.atEnd()) return EPROTO;
  problem.clear();
  return 0;
}

}  // namespace fabricsim
