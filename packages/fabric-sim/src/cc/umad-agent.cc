#include "umad-agent.h"

#include <cerrno>
#include <cstring>

#include "device.h"
#include "mad.h"
#include "process.h"
#include "umad-port.h"

namespace fabricsim {

using namespace mad;

namespace {
// How long a segment waits for its ACK at most; as Linux has it, until packet lifetimes are known.
constexpr uint32_t kAckTimeoutMs = 2000;

bool isUnansweredMethod(const uint8_t *m) { return isResponse(m) || method(m) == kMethodSend; }
}  // namespace

UmadAgent::UmadAgent(UmadPort &port, uint32_t index, uint32_t id, const AgentRequest &request)
    : port_(port),
      index_(index),
      id_(id),
      request_(request),
      receiver_(port.process().timers(), [this](const vb_ib_mad_addr &to, const uint8_t *m) { transmit(to, m); }) {}

UmadAgent::~UmadAgent() {
  for (Transaction &transaction : transactions_) port_.process().timers().cancel(transaction.timer);
}

void UmadAgent::transmit(const vb_ib_mad_addr &to, const uint8_t *m) {
  HcaState state;
  if (!port_.device().read(state)) return;
  const PortState *port = state.port(port_.portNumber());
  if (port == nullptr) return;
  LeWriter body;
  body.u32(port_.handle()).raw(buildMadPacket(*port, request_.qpn, to, m));
  port_.device().client().send(attach::kPacket, body.bytes());
}

int UmadAgent::send(const vb_ib_user_mad &head, ByteView bytes) {
  if (bytes.size() < kRmppHeaderEnd) return -EINVAL;
  uint8_t managed = managementClass(bytes.data());
  bool segmented = isRmppClass(managed) && rmpp::isActive(bytes.data());
  if (segmented && request_.rmppVersion == 0) return -EINVAL;
  segmented = segmented && doesRmpp();
  if (!segmented && bytes.size() > kSize) return -EINVAL;
  if (segmented && bytes.size() < dataOffset(managed)) return -EINVAL;
  if (segmented && bytes.size() > RmppReceiver::kMaxMessage) return -ENOMEM;

  Bytes copy(bytes.begin(), bytes.end());
  if (copy.size() < kSize) copy.resize(segmented ? copy.size() : kSize);
  if (!isUnansweredMethod(copy.data())) setTidHigh(copy.data(), id_);
  bool isUserSegment = isRmppClass(managed) && rmpp::isActive(copy.data()) && !segmented;
  if (!isUserSegment && isDuplicate(copy)) return -EINVAL;
  if (port_.device().client().isLost()) return -EIO;

  // Linux writes version and type of a message itself, and OpenSM leaves them zero.
  bool isControl = segmented && rmpp::type(copy.data()) != rmpp::kData && rmpp::type(copy.data()) != 0;
  if (isControl) copy.resize(kSize);
  bool waits = head.timeout_ms != 0 || (segmented && !isControl);
  if (!waits) {
    transmit(head.addr, copy.data());
    return 0;
  }
  Transaction &transaction = transactions_.emplace_back(Transaction{head, std::move(copy), head.retries, nullptr, {}});
  transaction.head.agent_id = index_;
  if (segmented && !isControl) {
    startRmpp(transaction);
  } else {
    transmit(transaction.head.addr, transaction.mad.data());
  }
  arm(std::prev(transactions_.end()));
  return 0;
}

void UmadAgent::startRmpp(Transaction &transaction) {
  uint32_t window = receiver_.firstWindow(transaction.head.addr, transaction.mad.data());
  vb_ib_mad_addr to = transaction.head.addr;
  transaction.rmpp = std::make_unique<RmppSender>(transaction.mad, window, [this, to](const uint8_t *m) { transmit(to, m); });
  transaction.rmpp->start();
}

void UmadAgent::arm(Transactions::iterator transaction) {
  TimerQueue &timers = port_.process().timers();
  timers.cancel(transaction->timer);
  uint32_t ms = transaction->head.timeout_ms;
  bool sending = transaction->rmpp != nullptr ? !transaction->rmpp->isAcknowledged() : ms == 0;
  if (sending && (ms == 0 || ms > kAckTimeoutMs)) ms = kAckTimeoutMs;
  transaction->timer = timers.arm(Clock::now() + port_.process().scaled(std::chrono::milliseconds(ms)), [this, transaction] { onTimeout(transaction); });
  port_.process().timersChanged();
}

void UmadAgent::onTimeout(Transactions::iterator transaction) {
  transaction->timer.sequence = 0;
  if (transaction->retriesLeft > 0) {
    --transaction->retriesLeft;
    if (transaction->rmpp == nullptr) {
      transmit(transaction->head.addr, transaction->mad.data());
    } else if (!transaction->rmpp->isAcknowledged()) {
      transaction->rmpp->onTimeout();
    } else {
      startRmpp(*transaction);  // acknowledged but not answered: ask again
    }
    arm(transaction);
    return;
  }
  vb_ib_user_mad head = transaction->head;
  Bytes mad(transaction->mad.begin(), transaction->mad.begin() + kHeaderSize);
  remove(transaction);
  head.status = ETIMEDOUT;
  head.length = static_cast<uint32_t>(sizeof head + mad.size());
  port_.push(head, std::move(mad));
}

void UmadAgent::remove(Transactions::iterator transaction) {
  port_.process().timers().cancel(transaction->timer);
  transactions_.erase(transaction);
}

// The transaction that a received MAD belongs to: same id and class, opposite direction.
UmadAgent::Transactions::iterator UmadAgent::find(const uint8_t *m) {
  for (auto it = transactions_.begin(); it != transactions_.end(); ++it) {
    const uint8_t *sent = it->mad.data();
    if (tid(sent) == tid(m) && managementClass(sent) == managementClass(m) && isResponse(sent) != isResponse(m)) return it;
  }
  return transactions_.end();
}

// Two requests of one id cannot be told apart, nor two answers of one id to one peer.
bool UmadAgent::isDuplicate(ByteView bytes) {
  const uint8_t *m = bytes.data();
  for (const Transaction &other : transactions_) {
    const uint8_t *sent = other.mad.data();
    if (tid(sent) == tid(m) && managementClass(sent) == managementClass(m) && !isResponse(sent) && !isResponse(m)) return true;
  }
  return false;
}

void UmadAgent::receivePacket(ByteView packet) {
  HcaState state;
  if (!port_.device().read(state)) return;
  const PortState *port = state.port(port_.portNumber());
  if (port == nullptr) return;
  auto received = parseMadPacket(*port, packet);
  if (received && received->qpn == request_.qpn) receive(*received);
}

void UmadAgent::receive(const ReceivedMad &received) {
  const uint8_t *m = received.mad.data();
  if (doesRmpp() && isRmppClass(managementClass(m)) && rmpp::isActive(m)) return receiveRmpp(received);
  dispatch(received, Bytes(received.mad.begin(), received.mad.end()));
}

void UmadAgent::receiveRmpp(const ReceivedMad &received) {
  const uint8_t *m = received.mad.data();
  auto refuse = [&](rmpp::Status status) {
    auto transaction = find(m);
    if (transaction != transactions_.end() && transaction->rmpp != nullptr) remove(transaction);
    receiver_.abort(received, status);
  };
  if (rmpp::version(m) != rmpp::kVersion) return refuse(rmpp::kUnsupportedVersion);
  switch (rmpp::type(m)) {
    case rmpp::kData:
      if (auto whole = receiver_.onData(received)) dispatch(received, std::move(*whole));
      // A message under way may have armed the receiver's timers.
      port_.process().timersChanged();
      return;
    case rmpp::kAck:
    case rmpp::kStop:
    case rmpp::kAbort:
      return onControl(received);
    default:
      return refuse(rmpp::kBadType);
  }
}

void UmadAgent::onControl(const ReceivedMad &received) {
  const uint8_t *m = received.mad.data();
  auto transaction = find(m);
  if (transaction == transactions_.end()) {
    if (rmpp::type(m) == rmpp::kAck && rmpp::segment(m) == 0) receiver_.onDirectionSwitch(received);
    return;
  }
  if (transaction->rmpp == nullptr) {
    // A plain request whose answer the peer aborted: nothing will come.
    if (rmpp::type(m) != rmpp::kAck) remove(transaction);
    return;
  }
  onAck(transaction, received);
}

void UmadAgent::onAck(Transactions::iterator transaction, const ReceivedMad &received) {
  bool expectsAnswer = transaction->head.timeout_ms != 0;
  switch (transaction->rmpp->onControl(received.mad.data())) {
    case RmppSender::Outcome::kAborted:
      return remove(transaction);
    case RmppSender::Outcome::kWaiting:
      if (transaction->rmpp->madeProgress()) {
        transaction->retriesLeft = transaction->head.retries;
        arm(transaction);
      }
      return;
    case RmppSender::Outcome::kAcknowledged:
      if (!expectsAnswer) return remove(transaction);
      if (transaction->rmpp->madeProgress()) arm(transaction);
      // Turn the direction: the peer may begin its answer.
      uint8_t answer[kSize];
      rmpp::control(answer, received.mad.data(), rmpp::kAck, rmpp::kOk, 0, 1);
      return transmit(received.from, answer);
  }
}

void UmadAgent::dispatch(const ReceivedMad &received, Bytes mad) {
  if (isResponse(mad.data())) {
    auto transaction = find(mad.data());
    if (transaction != transactions_.end()) {
      remove(transaction);
    } else if (!(request_.userRmpp && isRmppClass(managementClass(mad.data())) && rmpp::isActive(mad.data()))) {
      return;  // late, or answered before
    }
  }
  vb_ib_user_mad head = {};
  head.agent_id = index_;
  head.addr = received.from;
  head.length = static_cast<uint32_t>(sizeof head + mad.size());
  port_.push(head, std::move(mad));
}

}  // namespace fabricsim
