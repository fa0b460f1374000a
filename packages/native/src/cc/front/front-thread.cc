// The thread of a front end: accepts, reads, frames, answers hits, hands on the rest.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "descriptors.h"
#include "front/epoll-loop.h"
#include "front/front-end.h"
#include "front/ring-loop.h"

namespace verbena::front {
namespace {

// Connections taken before those that are open get a turn again.
constexpr int kAccepts = 16;
// Left free for everything but connections: a reload's files, a new port's devices.
constexpr rlim_t kHeadroom = 8;
// Bytes of events at which no more requests are handed over until the owner has taken some: what it can answer in a few milliseconds.
constexpr size_t kEnoughBytes = 32768;
// Accounts of clients that have gone, kept until somebody wants to know.
constexpr size_t kManyLeft = 256;
// How long a listening socket that fails is left alone: what it lacks, memory or descriptors, does not come by asking at once again.
constexpr uint64_t kPauseNs = 100'000'000;

}  // namespace

Failure FrontEnd::OpenLoop(Io io) {
  LoopHandler& handler = *this;
  Failure failure;
  io_ = Io::kRing;
  if (io != Io::kEpoll) {
    loop_ = std::make_unique<RingLoop>(handler);
    failure.error = loop_->Open(&failure.syscall);
    if (failure.error == 0 || io == Io::kRing) return failure;
    ring_failure_ = std::exchange(failure, {});
  }
  io_ = Io::kEpoll;
  loop_ = std::make_unique<EpollLoop>(handler);
  failure.error = loop_->Open(&failure.syscall);
  return failure;
}

std::unique_lock<std::mutex> FrontEnd::LockAsThread() {
  if (is_owner_waiting_) const std::lock_guard turn(next_);
  return std::unique_lock(mutex_);
}

void FrontEnd::BeginTurn() { now_ns_ = MonotonicNs(); }

bool FrontEnd::EndTurn(int* wait_ms) {
  *wait_ms = WaitMs();
  if (is_stopping_) {
    for (const auto& [id, client] : clients_) doomed_.push_back(client);
    clients_.clear();
    client_count_ = 0;
  }
  Reap();
  return !is_stopping_;
}

void FrontEnd::OnInput(Connection& client, const uint8_t* bytes, ssize_t got, bool has_hung_up) {
  if (client.is_doomed) return;
  if (got > 0) {
    Take(client, bytes, static_cast<size_t>(got));
  } else if (got == 0 || has_hung_up || (got != -EAGAIN && got != -EINTR)) {
    Doom(client, Reason::kLeft);
  } else {
    Take(client, nullptr, 0);
  }
}

void FrontEnd::OnWritable(Connection& client) {
  if (!client.is_doomed) Flush(client);
}

void FrontEnd::Take(Connection& client, const uint8_t* bytes, size_t size) {
  if (client.input.empty()) {
    const size_t used = Consume(client, bytes, size);
    if (client.is_doomed) return;
    if (used < size) client.input.assign(bytes + used, bytes + size);
  } else {
    if (size > 0) client.input.insert(client.input.end(), bytes, bytes + size);
    const size_t used = Consume(client, client.input.data(), client.input.size());
    if (client.is_doomed) return;
    client.input.erase(client.input.begin(), client.input.begin() + static_cast<std::ptrdiff_t>(used));
    if (client.input.empty()) std::vector<uint8_t>().swap(client.input);  // thousands of idle clients keep nothing
  }
  Settle(client);
}

size_t FrontEnd::Consume(Connection& client, const uint8_t* bytes, size_t size) {
  size_t at = 0;
  while (at < size && MayRead(client)) {
    const Frame frame = ReadFrame(bytes + at, size - at);
    if (frame.violation != Violation::kNone) {
      Doom(client, static_cast<Reason>(frame.violation));
      break;
    }
    if (frame.length == 0 || frame.length > size - at) break;
    if (Handle(client, bytes + at, frame.length, at + frame.length == size) == Fate::kLater) break;
    at += frame.length;
    client.messages++;
    if (client.is_doomed) break;
  }
  return at;
}

FrontEnd::Fate FrontEnd::Handle(Connection& client, const uint8_t* message, size_t size, bool is_last) {
  const uint64_t tid = ReadTid(message);
  const bool is_behind = std::find(client.open.begin(), client.open.end(), tid) != client.open.end();
  if (!is_behind) {
    if (ReplyTable::Entry* entry = table_.Find(message, size, now_ns_)) {
      uint8_t* reply = entry->key() + entry->key_size;
      std::memcpy(reply + kTidOffset, message + kTidOffset, sizeof tid);
      return GiveAnswer(client, {message, size, reply, entry->reply_size, entry->account}, is_last);
    }
  }
  if (events_.size() >= kEnoughBytes) {
    client.is_blocked = true;
    blocked_.push_back(client.id);
    return Fate::kLater;
  }
  Introduce(client);
  AddEvent(EventKind::kRequest, client.id, 0, 0, message, size);
  client.open.push_back(tid);
  return Fate::kDone;
}

FrontEnd::Fate FrontEnd::GiveAnswer(Connection& client, const Answer& answer, bool is_last) {
  if (is_last && loop_->Submit(client, answer)) {
    CountHit(client, answer.account);
    return Fate::kDone;
  }
  const ssize_t sent = send(client.fd, answer.reply, answer.reply_size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
    // Nothing of it is kept: when the client reads again it gets what is true then.
    client.is_stalled = true;
    return Fate::kLater;
  }
  CountHit(client, answer.account);
  if (sent < 0) {
    Doom(client, Reason::kLeft);
  } else if (static_cast<size_t>(sent) < answer.reply_size) {
    client.output.assign(answer.reply + sent, answer.reply + answer.reply_size);
    client.is_stalled = true;
  }
  return Fate::kDone;
}

// The same, for an answer that the loop has taken: nothing has been read of this client since.
void FrontEnd::OnUnsent(Connection& client, const Answer& answer, ssize_t sent) {
  if (client.is_doomed) return;
  if (sent == -EAGAIN || sent == -EINTR) {
    account_hits_[answer.account]--;
    client.hits--;
    client.messages--;
    client.input.assign(answer.request, answer.request + answer.request_size);
    client.is_stalled = true;
  } else if (sent < 0) {
    Doom(client, Reason::kLeft);
    return;
  } else {
    client.output.assign(answer.reply + sent, answer.reply + answer.reply_size);
    client.is_stalled = true;
  }
  Settle(client);
}

void FrontEnd::CountHit(Connection& client, uint32_t account) {
  if (account >= account_hits_.size()) account_hits_.resize(account + 1);
  account_hits_[account]++;
  if (client.hits++ == 0) dirty_.push_back(client.id);
  client.last_hit_ns = now_ns_;
}

void FrontEnd::Flush(Connection& client) {
  while (client.unsent() > 0) {
    const ssize_t sent = send(client.fd, client.output.data() + client.output_at, client.unsent(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EINTR) Doom(client, Reason::kLeft);
      return;
    }
    client.output_at += static_cast<size_t>(sent);
  }
  std::vector<uint8_t>().swap(client.output);
  client.output_at = 0;
  client.is_stalled = false;
}

bool FrontEnd::MayRead(const Connection& client) const {
  return !client.is_doomed && !client.is_stalled && !client.is_blocked && !is_finishing_ &&
         client.open.size() < limits_.max_open_requests;
}

bool FrontEnd::IsIncomplete(const Connection& client) const { return !client.input.empty() && MayRead(client); }

// After anything that may have changed what the client waits for.
void FrontEnd::Settle(Connection& client) {
  if (is_finishing_ && client.open.empty() && client.unsent() == 0) {
    Doom(client, Reason::kClosed);
    return;
  }
  loop_->Want(client, MayRead(client) && !client.is_resuming, client.is_stalled);
  const bool is_incomplete = IsIncomplete(client);
  if (is_incomplete != client.told_incomplete || client.is_stalled != client.told_stalled ||
      (is_incomplete && client.messages != client.told_messages)) {
    Note(client);
  }
}

void FrontEnd::Introduce(Connection& client) {
  if (std::exchange(client.is_known, true)) return;
  AddEvent(EventKind::kOpened, client.id, client.peer.is_unix ? 1 : 0, static_cast<uint32_t>(client.peer.pid), &client.peer.uid,
           sizeof client.peer.uid);
}

void FrontEnd::Note(Connection& client) {
  if (std::exchange(client.is_noted, true)) return;
  noted_.push_back(client.id);
  WakeOwner();
}

void FrontEnd::Doom(Connection& client, Reason reason) {
  if (std::exchange(client.is_doomed, true)) return;
  const bool is_malformed = reason == Reason::kVersion || reason == Reason::kOpcode || reason == Reason::kLength;
  if (client.is_known || (is_malformed && events_.size() < kEnoughBytes)) {
    AddEvent(EventKind::kGone, client.id, static_cast<uint32_t>(reason), 0, nullptr, 0);
  }
  if (client.hits > 0) left_hits_.push_back({client.peer, client.hits, client.last_hit_ns});
  if (client.hits > 0 && left_hits_.size() == kManyLeft) AddEvent(EventKind::kHits, 0, 0, 0, nullptr, 0);
  clients_.erase(client.id);
  doomed_.push_back(&client);
  client_count_--;
  if (is_finishing_ && clients_.empty()) AddEvent(EventKind::kEmpty, 0, 0, 0, nullptr, 0);
}

// Woken by the owner: some that had to wait may go on.
void FrontEnd::OnWake() {
  std::vector<uint64_t> ids;
  ids.swap(blocked_);
  for (const uint64_t id : ids) {
    if (Connection* client = Find(id)) client->is_blocked = false;
  }
  ids.insert(ids.end(), resumed_.begin(), resumed_.end());
  resumed_.clear();
  for (const uint64_t id : ids) {
    Connection* client = Find(id);
    if (client == nullptr) continue;
    client->is_resuming = false;
    Take(*client, nullptr, 0);
  }
}

void FrontEnd::OnListener(Source& listener, bool has_failed) {
  AcceptWaiting(listener, kAccepts);
  // One that listens no more says EAGAIN, where accept(2) has EINVAL for it.
  if (has_failed && listener.fd >= 0) Pause(listener, EINVAL);
}

// How long nothing needs to be done, milliseconds. Listening sockets whose pause is over are watched again.
int FrontEnd::WaitMs() {
  if (resume_at_ns_ == 0) return -1;
  const uint64_t now_ns = MonotonicNs();
  if (now_ns < resume_at_ns_) return static_cast<int>((resume_at_ns_ - now_ns) / 1'000'000) + 1;
  resume_at_ns_ = 0;
  for (const auto& listener : listeners_) {
    if (listener->fd >= 0) loop_->Watch(*listener);
  }
  return -1;
}

void FrontEnd::Pause(Source& listener, int error) {
  failed_errno_ = error;
  resume_at_ns_ = MonotonicNs() + kPauseNs;
  // Not only without interest: one that has hung up would be reported all the same.
  loop_->Unwatch(listener);
  WakeOwner();
}

void FrontEnd::AcceptWaiting(Source& listener, int most) {
  for (int i = 0; i < most && listener.fd >= 0; i++) {
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    const int fd = accept4(listener.fd, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      AddClient(fd, address.ss_family == AF_UNIX);
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN) return;
    if ((errno == EMFILE || errno == ENFILE) && RefuseForDescriptors(listener.fd)) continue;
    Pause(listener, errno);
    return;
  }
}

void FrontEnd::AddClient(int fd, bool is_unix) {
  rlimit files = {};
  const bool is_last = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY &&
                       static_cast<rlim_t>(fd) + kHeadroom >= files.rlim_cur;
  if (client_count_ >= limits_.max_clients || is_last) {
    close(fd);
    (client_count_ >= limits_.max_clients ? refused_full_ : refused_descriptor_)++;
    WakeOwner();
    return;
  }
  Peer peer;
  peer.is_unix = is_unix;
  PeerCredentials credentials = {};
  if (is_unix && ReadPeerCredentials(fd, &credentials) == 0) {
    peer.pid = credentials.pid;
    peer.uid = credentials.uid;
  }
  const int on = 1;
  if (!is_unix) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto* client = new Connection(fd, next_id_++, peer);
  if (const int error = loop_->Add(*client)) {
    AddEvent(EventKind::kFailed, 0, static_cast<uint32_t>(error), 0, nullptr, 0);
    close(fd);
    delete client;
    return;
  }
  clients_.emplace(client->id, client);
  client_count_++;
}

// Takes the connection with the descriptor kept for this, and closes it: left in the backlog it would be reported for ever.
bool FrontEnd::RefuseForDescriptors(int listener) {
  close(std::exchange(reserve_, -1));
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd >= 0) close(fd);
  reserve_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  refused_descriptor_++;
  WakeOwner();
  return fd >= 0;
}

void FrontEnd::Reap() {
  for (Connection* client : doomed_) loop_->Release(*client);
  doomed_.clear();
}

}  // namespace verbena::front
