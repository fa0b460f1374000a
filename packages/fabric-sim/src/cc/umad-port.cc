#include "umad-port.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process.h"

namespace fabricsim {

namespace {
constexpr size_t kMaxQueue = 200000;  // as Linux limits it
}

UmadPort::~UmadPort() { close(); }

int UmadPort::addAgent(Lock &lock, AgentRequest request) {
  auto slot = std::find(agents_.begin(), agents_.end(), nullptr);
  if (slot == agents_.end()) return -ENOMEM;
  LeWriter body;
  body.u32(handle_).u8(request.qpn).u8(request.managementClass).u8(request.classVersion).u8(request.rmppVersion);
  body.u32(request.oui).u64(request.methods[0]).u64(request.methods[1]);
  Bytes answer;
  int error = device_.client().call(lock, attach::kRegisterAgent, body.bytes(), &answer);
  if (error != 0) return -error;
  LeReader fields(answer);
  uint32_t id = fields.u32();
  if (!fields.atEnd() || id == 0) return -EPROTO;
  if (device_.client().isLost()) return -EIO;
  // The lock was free while the fabric answered: the port may be closed, the slot taken.
  slot = fd_ < 0 ? agents_.end() : std::find(agents_.begin(), agents_.end(), nullptr);
  if (slot == agents_.end()) {
    device_.client().call(lock, attach::kUnregisterAgent, LeWriter().u32(id).bytes());
    return fd_ < 0 ? -EBADF : -ENOMEM;
  }
  int index = static_cast<int>(slot - agents_.begin());
  *slot = std::make_unique<UmadAgent>(*this, static_cast<uint32_t>(index), id, request);
  process_.addAgent(id, slot->get());
  return index;
}

int UmadPort::removeAgent(Lock &lock, int index) {
  UmadAgent *found = agent(index);
  if (found == nullptr) return -EINVAL;
  uint32_t id = found->id();
  process_.removeAgent(id, found);
  agents_[static_cast<size_t>(index)].reset();
  device_.client().call(lock, attach::kUnregisterAgent, LeWriter().u32(id).bytes());
  return 0;
}

UmadAgent *UmadPort::agent(int index) {
  return index < 0 || static_cast<size_t>(index) >= kMaxAgents ? nullptr : agents_[static_cast<size_t>(index)].get();
}

void UmadPort::push(const vb_ib_user_mad &head, Bytes mad) {
  if (fd_ < 0 || queue_.size() >= kMaxQueue) return;
  queue_.push_back({head, std::move(mad)});
  signal();
}

ssize_t UmadPort::pop(void *buffer, size_t capacity) {
  if (queue_.empty()) return isLost_ ? -EIO : -EAGAIN;
  Received &first = queue_.front();
  size_t whole = sizeof first.head + first.mad.size();
  size_t least = sizeof first.head + std::min<size_t>(first.mad.size(), VB_UMAD_MAD_SIZE);
  if (capacity < least) return -EINVAL;
  auto *to = static_cast<uint8_t *>(buffer);
  memcpy(to, &first.head, sizeof first.head);
  if (capacity < whole) {
    // The caller learns the length from the header and comes again with more room.
    memcpy(to + sizeof first.head, first.mad.data(), least - sizeof first.head);
    return -ENOSPC;
  }
  memcpy(to + sizeof first.head, first.mad.data(), first.mad.size());
  queue_.pop_front();
  if (queue_.empty() && !isLost_) unsignal();
  return static_cast<ssize_t>(whole);
}

void UmadPort::signal() {
  uint64_t one = 1;
  if (fd_ >= 0 && !isSignalled_) isSignalled_ = write(fd_, &one, sizeof one) == sizeof one;
}

void UmadPort::unsignal() {
  uint64_t count = 0;
  if (fd_ >= 0 && isSignalled_) isSignalled_ = read(fd_, &count, sizeof count) != sizeof count;
}

void UmadPort::markLost() {
  isLost_ = true;
  signal();
}

void UmadPort::dropAgents() {
  for (auto &agent : agents_) {
    if (agent != nullptr) process_.removeAgent(agent->id(), agent.get());
    agent.reset();
  }
}

void UmadPort::close() {
  if (fd_ < 0) return;
  dropAgents();
  signal();
  ::close(fd_);
  fd_ = -1;
}

}  // namespace fabricsim
