#include "attach-client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace fabricsim {

namespace {
// A fabric that stands still longer than this many bytes of packets loses them, as a wire would.
constexpr size_t kMaxOutbox = 16u << 20;
constexpr size_t kReadChunk = 128u << 10;
}  // namespace

AttachClient::AttachClient(int fd) : fd_(fd), chunk_(new uint8_t[kReadChunk]) {}

AttachClient::~AttachClient() {
  if (fd_ >= 0) close(fd_);
}

void AttachClient::queueFrame(uint16_t type, uint32_t tag, const Bytes &body) {
  LeWriter head;
  head.u32(static_cast<uint32_t>(attach::kFrameHeaderSize - 4 + body.size())).u16(type).u16(0).u32(tag);
  outbox_.insert(outbox_.end(), head.bytes().begin(), head.bytes().end());
  outbox_.insert(outbox_.end(), body.begin(), body.end());
}

// Writes what the socket takes now. False if the connection broke; that shows up at the reader as well, which reports it.
bool AttachClient::flush() {
  while (written_ < outbox_.size()) {
    ssize_t n = ::send(fd_, outbox_.data() + written_, outbox_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      written_ += static_cast<size_t>(n);
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      outbox_.clear();
      written_ = 0;
      return false;
    }
  }
  // What is left moves to the front only when that is cheap beside what was written.
  if (written_ >= outbox_.size() / 2) {
    outbox_.erase(outbox_.begin(), outbox_.begin() + static_cast<ptrdiff_t>(written_));
    written_ = 0;
  }
  return true;
}

void AttachClient::send(attach::Type type, const Bytes &body) {
  if (lost_ || outbox_.size() - written_ > kMaxOutbox) return;
  queueFrame(type, 0, body);
  flush();
}

uint8_t *AttachClient::addData(uint32_t hcaIndex, uint8_t port, size_t size) {
  if (lost_ || outbox_.size() - written_ > kMaxOutbox) return nullptr;
  LeWriter head;
  head.u32(static_cast<uint32_t>(attach::kFrameHeaderSize - 4 + attach::kDataHeadSize + size)).u16(attach::kData).u16(0).u32(0);
  head.u32(hcaIndex).u8(port).u8(0).u16(0);
  outbox_.insert(outbox_.end(), head.bytes().begin(), head.bytes().end());
  size_t at = outbox_.size();
  outbox_.resize(at + size);
  isSettled_ = false;
  return outbox_.data() + at;
}

int AttachClient::call(Lock &lock, attach::Type type, const Bytes &body, Bytes *answer) {
  if (lost_) return EIO;
  Call call;
  do {
    ++lastTag_;
  } while (lastTag_ == 0 || calls_.contains(lastTag_));
  uint32_t tag = lastTag_;
  calls_[tag] = &call;
  queueFrame(type, tag, body);
  flush();
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(attach::kCallTimeoutMs);
  answered_.wait_until(lock, deadline, [&] { return call.done || lost_; });
  calls_.erase(tag);
  if (!call.done) return EIO;
  if (answer != nullptr) *answer = std::move(call.answer);
  return call.error;
}

void AttachClient::settle(Lock &lock) {
  if (isSettled_) return;
  isSettled_ = true;
  call(lock, attach::kSync, {});
}

uint32_t AttachClient::reserve(Lock &lock, uint32_t hcaIndex, attach::Number what, uint32_t count) {
  LeWriter body;
  body.u32(hcaIndex).u8(static_cast<uint8_t>(what)).u8(0).u16(static_cast<uint16_t>(count));
  Bytes answer;
  if (call(lock, attach::kReserve, body.bytes(), &answer) != 0) return 0;
  return LeReader(answer).u32();
}

void AttachClient::readReady(AttachEvents &events) {
  if (lost_) return;
  ssize_t n = recv(fd_, chunk_.get(), kReadChunk, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (n > 0) inbox_.insert(inbox_.end(), chunk_.get(), chunk_.get() + n);
  if (n <= 0 || !takeFrames(events)) {
    lose(events);
    return;
  }
  events.onBatchEnd();
}

void AttachClient::writeReady(AttachEvents &events) {
  if (lost_) return;
  if (!flush()) lose(events);
}

// Handles the complete frames in the inbox; false if the stream makes no sense.
bool AttachClient::takeFrames(AttachEvents &events) {
  size_t offset = 0;
  while (inbox_.size() - offset >= attach::kFrameHeaderSize) {
    LeReader reader(ByteView(inbox_).subspan(offset));
    uint32_t length = reader.u32();
    if (length < attach::kFrameHeaderSize - 4 || length > attach::kMaxFrame) return false;
    if (inbox_.size() - offset < 4 + length) break;
    uint16_t type = reader.u16();
    reader.u16();
    uint32_t tag = reader.u32();
    if (!takeFrame(type, tag, reader.take(length - (attach::kFrameHeaderSize - 4)), events)) return false;
    offset += 4 + length;
  }
  inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<ptrdiff_t>(offset));
  return true;
}

bool AttachClient::takeFrame(uint16_t type, uint32_t tag, ByteView body, AttachEvents &events) {
  LeReader fields(body);
  if ((type & attach::kReplyBit) != 0) {
    int status = static_cast<int>(fields.u32());
    if (!fields.ok() || status < 0 || status > 4095) return false;
    auto found = calls_.find(tag);
    if (found == calls_.end()) return true;  // the caller gave up
    found->second->error = status;
    ByteView rest = fields.rest();
    found->second->answer.assign(rest.begin(), rest.end());
    found->second->done = true;
    answered_.notify_all();
    return true;
  }
  switch (type) {
    case attach::kPacket: {
      uint32_t agentId = fields.u32();
      if (!fields.ok()) return false;
      events.onPacket(agentId, fields.rest());
      return true;
    }
    case attach::kData: {
      uint32_t hcaIndex = fields.u32();
      uint8_t port = fields.u8();
      fields.take(3);
      if (!fields.ok()) return false;
      events.onData(hcaIndex, port, fields.rest());
      return true;
    }
    case attach::kAsyncEvent: {
      uint32_t hcaIndex = fields.u32();
      uint8_t event = fields.u8();
      uint8_t port = fields.u8();
      fields.u16();
      if (!fields.atEnd()) return false;
      events.onAsyncEvent(hcaIndex, event, port);
      return true;
    }
    default:
      return true;  // a newer fabric of the same protocol version may add announcements
  }
}

void AttachClient::abandon() {
  lost_ = true;
  close(fd_);
  fd_ = -1;
}

void AttachClient::lose(AttachEvents &events) {
  lost_ = true;
  outbox_.clear();
  written_ = 0;
  inbox_.clear();
  shutdown(fd_, SHUT_RDWR);
  close(fd_);
  fd_ = -1;
  answered_.notify_all();
  events.onLost();
}

}  // namespace fabricsim
