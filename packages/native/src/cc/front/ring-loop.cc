#include "front/ring-loop.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace verbena::front {
namespace {

// In the low bits of the user data; above them a pointer. A connection lives until its receive is over, a slot until its result is there.
enum Kind : uint64_t { kReceive = 0, kSend = 1, kPoll = 2, kKinds = 7 };

uint64_t DataOf(Kind kind, const void* of) { return reinterpret_cast<uintptr_t>(of) | kind; }

template <typename T>
T& Of(uint64_t data) {
  return *reinterpret_cast<T*>(static_cast<uintptr_t>(data & ~kKinds));
}

}  // namespace

RingLoop::RingLoop(LoopHandler& handler) : PolledLoop(handler), slots_(kTurn) {}

int RingLoop::Open(const char** syscall) {
  if (const int error = set_.Open(syscall)) return error;
  return ring_.Open(syscall);
}

void RingLoop::Run() {
  int wait_ms = -1;
  do {
    PollAgain();
    if (done_.empty()) {
      ring_.Wait(wait_ms);
      Collect();
    }
  } while (Turn(&wait_ms));
  // Everybody has been released; the system still has buffers of ours.
  while (receiving_ > 0) {
    while (!done_.empty()) HandleNext();
    if (receiving_ == 0) break;
    ring_.Wait(-1);
    Collect();
  }
}

// With the lock from the first look into the table until the last answer is with the system.
bool RingLoop::Turn(int* wait_ms) {
  const auto lock = handler_.LockAsThread();
  handler_.BeginTurn();
  is_turn_ = true;
  for (Connection* client : std::exchange(changed_, {})) {
    client->is_changed = false;
    if (!client->is_doomed && !client->is_polled) Receive(*client);
  }
  for (size_t i = 0; i < kTurn && !done_.empty(); i++) HandleNext();
  SendAnswers();
  const bool goes_on = handler_.EndTurn(wait_ms);
  is_turn_ = false;
  return goes_on;
}

void RingLoop::Collect() {
  Completion done;
  while (ring_.Take(&done)) {
    if ((done.data & kKinds) == kSend) {
      OnSent(Of<Slot>(done.data), done.result);
    } else {
      done_.push_back(done);
    }
  }
}

void RingLoop::HandleNext() {
  const Completion done = done_[at_++];
  if (at_ == done_.size()) {
    done_.clear();
    at_ = 0;
  }
  if ((done.data & kKinds) == kPoll) {
    is_polling_ = false;
    if (is_turn_) OnReady();
  } else {
    OnReceived(Of<Connection>(done.data), done);
  }
}

void RingLoop::OnReceived(Connection& client, const Completion& done) {
  client.is_receiving = false;
  receiving_--;
  const bool has_buffer = (done.flags & IORING_CQE_F_BUFFER) != 0;
  const unsigned buffer = done.flags >> IORING_CQE_BUFFER_SHIFT;
  SendBefore(client);
  if (client.is_released) {
    Delete(client);
  } else if (done.result != 0 || !client.is_polled) {
    // The end of the stream is not for who is not to be read now: it is there again when that is over, or the set says that it has hung up.
    // ENOBUFS: all buffers are in use until the end of this turn.
    const bool is_again = done.result == -ENOBUFS || done.result == -EINTR || done.result == -ECANCELED;
    handler_.OnInput(client, has_buffer ? ring_.buffer(buffer) : nullptr, is_again ? -EAGAIN : done.result, false);
  }
  if (has_buffer) ring_.Return(buffer);
}

void RingLoop::OnSent(Slot& slot, int result) {
  unknown_--;
  if (result != static_cast<int>(slot.answer.reply_size)) handler_.OnUnsent(*slot.client, slot.answer, result);
}

void RingLoop::OnReady() {
  epoll_event events[PollSet::kBatch];
  const int count = set_.Wait(events, 0);
  for (int i = 0; i < count; i++) OnEvents(*static_cast<Source*>(events[i].data.ptr), events[i].events);
}

void RingLoop::OnEvents(Source& source, uint32_t events) {
  const bool has_hung_up = (events & (EPOLLHUP | EPOLLERR)) != 0;
  switch (source.kind) {
    case Source::Kind::kClient: {
      auto& client = static_cast<Connection&>(source);
      SendBefore(client);
      if ((events & EPOLLOUT) != 0) handler_.OnWritable(client);
      // What it sent before it went may still be on its way.
      handler_.OnInput(client, nullptr, -EAGAIN, has_hung_up && !client.is_receiving);
      break;
    }
    case Source::Kind::kListener:
      handler_.OnListener(source, has_hung_up);
      break;
    case Source::Kind::kWake:
      set_.TakeWake();
      SendAnswers();  // whoever has to go on may be among those answered
      handler_.OnWake();
      break;
  }
}

// A client may come up twice in a turn. What it was answered first is with the system before more of it is looked at: answers keep their
// order, and one that does not go out finds nothing read behind it.
void RingLoop::SendBefore(const Connection& client) {
  if (client.is_staged) SendAnswers();
}

// The results are there when the system call returns, for no send waits; all the same they are waited for, for who does not know how much of
// an answer has gone must not go on.
void RingLoop::SendAnswers() {
  if (staged_ == 0) return;
  for (size_t i = 0; i < staged_; i++) slots_[i].client->is_staged = false;
  ring_.Submit();
  Collect();
  while (unknown_ > 0) {
    ring_.Wait(-1);
    Collect();
  }
  staged_ = 0;
}

bool RingLoop::Submit(Connection& client, const Answer& answer) {
  if (staged_ == slots_.size() || answer.request_size > kMaxRequest || answer.reply_size > kMaxRequest) return false;
  Slot& slot = slots_[staged_++];
  unknown_++;
  client.is_staged = true;
  // The table's entry may get another transaction id, and the request's buffer other bytes, before this turn is over.
  std::memcpy(slot.request, answer.request, answer.request_size);
  std::memcpy(slot.reply, answer.reply, answer.reply_size);
  slot.client = &client;
  slot.answer = {slot.request, answer.request_size, slot.reply, answer.reply_size, answer.account};
  io_uring_sqe& entry = ring_.Next();
  entry.opcode = IORING_OP_SEND;
  entry.fd = client.fd;
  entry.addr = reinterpret_cast<uintptr_t>(slot.reply);
  entry.len = static_cast<uint32_t>(answer.reply_size);
  entry.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  entry.user_data = DataOf(kSend, &slot);
  return true;
}

int RingLoop::Add(Connection& client) {
  Receive(client);
  return 0;
}

void RingLoop::Want(Connection& client, bool input, bool output) {
  // Who is not to be read has no receive that would tell that it has gone.
  const bool is_polled = !input || output;
  const uint32_t interest = output ? EPOLLOUT : 0u;
  if (is_polled != client.is_polled) {
    client.is_polled = is_polled;
    is_polled ? set_.Add(client, interest) : set_.Remove(client);
  } else if (is_polled && interest != client.interest) {
    set_.Change(client, interest);
  }
  client.interest = interest;
  if (input) Receive(client);
}

void RingLoop::Receive(Connection& client) {
  if (client.is_receiving) return;
  if (!is_turn_) {
    if (std::exchange(client.is_changed, true)) return;
    changed_.push_back(&client);
    set_.Wake();
    return;
  }
  client.is_receiving = true;
  receiving_++;
  io_uring_sqe& entry = ring_.Next();
  entry.opcode = IORING_OP_RECV;
  entry.fd = client.fd;
  entry.ioprio = IORING_RECVSEND_POLL_FIRST;  // who has just been answered has not asked again yet
  entry.flags = IOSQE_BUFFER_SELECT;
  entry.buf_group = Ring::kBufferGroup;
  entry.len = Ring::kBufferSize;
  entry.user_data = DataOf(kReceive, &client);
}

void RingLoop::PollAgain() {
  if (std::exchange(is_polling_, true)) return;
  io_uring_sqe& entry = ring_.Next();
  entry.opcode = IORING_OP_POLL_ADD;
  entry.fd = set_.fd();
  entry.poll32_events = __BYTE_ORDER == __LITTLE_ENDIAN ? POLLIN : static_cast<uint32_t>(POLLIN) << 16;
  entry.user_data = DataOf(kPoll, nullptr);
}

void RingLoop::Release(Connection& client) {
  if (std::exchange(client.is_polled, false)) set_.Remove(client);
  if (!client.is_receiving) {
    Delete(client);
    return;
  }
  // A receive keeps the connection open whatever is closed; this ends both.
  client.is_released = true;
  shutdown(client.fd, SHUT_RDWR);
}

void RingLoop::Delete(Connection& client) {
  close(client.fd);
  delete &client;
}

}  // namespace verbena::front
