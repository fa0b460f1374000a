// What the owner of a front end calls. The thread's part is in front-thread.cc.
#include "front/front-end.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

namespace verbena::front {
namespace {

// How often the owner looks whether the lock is free before it goes to sleep for it: mostly it is, soon.
constexpr int kLooks = 200;
// Connections that can wait at a listening socket, and a few that come meanwhile.
constexpr int kBacklog = 8192;

SipKey RandomKey() {
  SipKey key;
  // Waits at most until the system has its first random numbers, early at boot.
  if (getrandom(&key, sizeof key, 0) != sizeof key) key = {MonotonicNs(), reinterpret_cast<uintptr_t>(&key)};
  return key;
}

}  // namespace

uint64_t MonotonicNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

FrontEnd::FrontEnd(const Limits& limits, Wake wake)
    : limits_(limits), wake_(std::move(wake)), table_(limits.table_bytes, RandomKey()) {}

FrontEnd::~FrontEnd() { Stop(); }

int FrontEnd::Start(Io io, const char** syscall) {
  *syscall = "open";
  reserve_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (reserve_ < 0) return errno;
  std::promise<Failure> promise;
  std::future<Failure> opened = promise.get_future();
  *syscall = "pthread_create";
  try {
    thread_ = std::thread([this, io, promise = std::move(promise)]() mutable {
      const Failure failure = OpenLoop(io);
      promise.set_value(failure);
      if (failure.error == 0) loop_->Run();
    });
  } catch (const std::system_error& failure) {
    return failure.code().value();
  }
  const Failure failure = opened.get();
  if (failure.error == 0) return 0;
  thread_.join();
  *syscall = failure.syscall;
  return failure.error;
}

int FrontEnd::AddListener(int fd) {
  const auto lock = LockAsOwner();
  auto listener = std::make_unique<Source>(Source::Kind::kListener, fd);
  if (const int error = loop_ == nullptr ? EBADF : loop_->Watch(*listener)) {
    close(fd);
    return error;
  }
  listeners_.push_back(std::move(listener));
  return 0;
}

void FrontEnd::CloseListeners() {
  const auto lock = LockAsOwner();
  // The objects stay: an event of theirs may be on its way.
  for (const auto& listener : listeners_) {
    if (listener->fd < 0) continue;
    // Whoever has connected already is a client: what is closed before it was accepted, the system resets.
    AcceptWaiting(*listener, kBacklog);
    loop_->Unwatch(*listener);  // one that was inherited stays open elsewhere, and would be reported for ever
    close(std::exchange(listener->fd, -1));
  }
}

void FrontEnd::Finish() {
  CloseListeners();
  const auto lock = LockAsOwner();
  is_finishing_ = true;
  std::vector<Connection*> clients;
  for (const auto& [id, client] : clients_) clients.push_back(client);
  for (Connection* client : clients) Settle(*client);
  if (clients_.empty()) AddEvent(EventKind::kEmpty, 0, 0, 0, nullptr, 0);
  WakeThread();
}

void FrontEnd::Stop() {
  if (thread_.joinable()) {
    {
      const auto lock = LockAsOwner();
      is_stopping_ = true;
      WakeThread();
    }
    thread_.join();
  }
  loop_.reset();
  for (const auto& listener : listeners_) {
    if (listener->fd >= 0) close(std::exchange(listener->fd, -1));
  }
  if (reserve_ >= 0) close(std::exchange(reserve_, -1));
  table_.Clear();
}

std::vector<uint8_t> FrontEnd::TakeEvents() {
  const auto lock = LockAsOwner();
  is_owner_woken_ = false;
  for (const uint64_t id : noted_) {
    Connection* client = Find(id);
    if (client == nullptr) continue;
    client->is_noted = false;
    const bool is_incomplete = IsIncomplete(*client);
    const bool is_another = is_incomplete && client->told_messages != client->messages;
    const bool has_changed = is_incomplete != client->told_incomplete || client->is_stalled != client->told_stalled || is_another;
    if (!std::exchange(client->must_tell, false) && !has_changed) continue;
    client->told_incomplete = is_incomplete;
    client->told_stalled = client->is_stalled;
    client->told_messages = client->messages;
    Introduce(*client);
    const uint64_t held = client->input.size() + client->unsent();
    AddEvent(EventKind::kState, id, (is_incomplete ? 1u : 0u) | (client->is_stalled ? 2u : 0u), client->messages, &held, sizeof held);
  }
  noted_.clear();
  if (refused_full_ > 0) AddEvent(EventKind::kRefused, 0, 1, std::exchange(refused_full_, 0), nullptr, 0);
  if (failed_errno_ != 0) AddEvent(EventKind::kFailed, 0, static_cast<uint32_t>(std::exchange(failed_errno_, 0)), 0, nullptr, 0);
  if (refused_descriptor_ > 0) AddEvent(EventKind::kRefused, 0, 2, std::exchange(refused_descriptor_, 0), nullptr, 0);
  std::vector<uint8_t> taken;
  taken.swap(events_);
  is_owner_woken_ = false;
  if (!blocked_.empty()) WakeThread();
  return taken;
}

bool FrontEnd::Reply(uint64_t id, uint64_t tid, const uint8_t* bytes, size_t size) {
  const auto lock = LockAsOwner();
  Connection* client = Find(id);
  if (client == nullptr) return false;
  const auto place = std::find(client->open.begin(), client->open.end(), tid);
  if (place != client->open.end()) client->open.erase(place);
  ssize_t sent = 0;
  if (!client->is_stalled) {
    sent = send(client->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      Doom(*client, Reason::kLeft);
      WakeThread();
      return false;
    }
    sent = std::max<ssize_t>(sent, 0);
  }
  if (static_cast<size_t>(sent) < size) {
    client->output.insert(client->output.end(), bytes + sent, bytes + size);
    client->is_stalled = true;
    if (client->unsent() > limits_.max_unsent_bytes) {
      Doom(*client, Reason::kDoesNotRead);
      WakeThread();
      return false;
    }
  }
  if (!client->input.empty() && MayRead(*client) && !std::exchange(client->is_resuming, true)) {
    resumed_.push_back(id);
    WakeThread();
  }
  Settle(*client);
  if (client->is_doomed) {
    WakeThread();
  } else if (client->is_stalled) {
    client->must_tell = true;
    Note(*client);
  }
  return client->is_stalled;
}

void FrontEnd::Close(uint64_t id) {
  const auto lock = LockAsOwner();
  Connection* client = Find(id);
  if (client == nullptr) return;
  client->is_known = false;  // who closes it needs not be told
  Doom(*client, Reason::kClosed);
  WakeThread();
}

void FrontEnd::Put(const uint8_t* request, size_t request_size, const uint8_t* reply, size_t reply_size, uint64_t ttl_ns,
                   uint32_t account, const uint32_t* tags, size_t tag_count) {
  const uint64_t expires_ns = MonotonicNs() + ttl_ns;
  const auto lock = LockAsOwner();
  table_.Put(request, request_size, reply, reply_size, expires_ns, account, tags, tag_count);
}

void FrontEnd::Invalidate(const uint32_t* tags, size_t count) {
  const auto lock = LockAsOwner();
  for (size_t i = 0; i < count; i++) table_.Invalidate(tags[i]);
}

void FrontEnd::ClearTable() {
  const auto lock = LockAsOwner();
  table_.Clear();
}

size_t FrontEnd::table_bytes() {
  const auto lock = LockAsOwner();
  return table_.bytes();
}

Hits FrontEnd::TakeHits() {
  const auto lock = LockAsOwner();
  Hits hits;
  hits.by_account.swap(account_hits_);
  hits.by_client.swap(left_hits_);
  for (const uint64_t id : dirty_) {
    Connection* client = Find(id);
    if (client == nullptr || client->hits == 0) continue;
    hits.by_client.push_back({client->peer, std::exchange(client->hits, 0), client->last_hit_ns});
  }
  dirty_.clear();
  return hits;
}

std::unique_lock<std::mutex> FrontEnd::LockAsOwner() {
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int look = 0; look < kLooks; look++) {
    if (lock.try_lock()) return lock;
  }
  // The thread would take it again before a sleeper has woken up, and so for ever.
  const std::lock_guard turn(next_);
  is_owner_waiting_ = true;
  lock.lock();
  is_owner_waiting_ = false;
  return lock;
}

Connection* FrontEnd::Find(uint64_t id) {
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : found->second;
}

void FrontEnd::AddEvent(EventKind kind, uint64_t id, uint32_t a, uint32_t b, const void* bytes, size_t size) {
  const uint32_t words[6] = {static_cast<uint32_t>(kind), static_cast<uint32_t>(size), static_cast<uint32_t>(id),
                             static_cast<uint32_t>(id >> 32), a, b};
  const auto* head = reinterpret_cast<const uint8_t*>(words);
  events_.insert(events_.end(), head, head + sizeof words);
  const auto* body = static_cast<const uint8_t*>(bytes);
  if (size > 0) events_.insert(events_.end(), body, body + size);
  events_.resize((events_.size() + 3) / 4 * 4);
  WakeOwner();
}

void FrontEnd::WakeOwner() {
  if (std::exchange(is_owner_woken_, true)) return;
  wake_();
}

void FrontEnd::WakeThread() {
  if (loop_ != nullptr) loop_->Wake();
}

}  // namespace verbena::front
