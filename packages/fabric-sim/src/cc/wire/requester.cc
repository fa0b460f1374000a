#include "wire/requester.h"

#include <algorithm>

#include "hca/message-memory.h"
#include "process.h"
#include "wire/opcode.h"
#include "wire/transport-timing.h"

namespace fabricsim {

namespace {

// Packets in flight: with the largest MTU half a megabyte.
constexpr uint32_t kWindow = 128;
// The answer of a read cannot be held back once it is asked for, so a long one is asked for in parts of so many packets. They begin at
// multiples of it: a part that is asked for again never reaches beyond what the responder may have seen.
constexpr uint32_t kReadPart = 32;
// An acknowledgement is asked for at the end of every message, and within long ones so often that the window stays open.
constexpr uint32_t kAcknowledgeEvery = 16;
constexpr uint8_t kForeverRetry = 7;

uint8_t serviceOf(const QueuePair &qp) { return qp.isReliable() ? service::kReliableConnection : service::kUnreliableConnection; }

uint8_t operationOf(const SendRequest &request, bool isFirst, bool isLast) {
  using namespace operation;
  uint8_t family = request.isWrite() ? kWriteFirst : kSendFirst;
  uint8_t place = isFirst && isLast ? kSendOnly : isLast ? kSendLast : isFirst ? kSendFirst : kSendMiddle;
  return static_cast<uint8_t>(family + place + (isLast && request.hasImmediate() ? 1 : 0));
}

}  // namespace

Requester::Requester(QueuePair &qp, PacketOutlet &outlet)
    : qp_(qp),
      outlet_(outlet),
      nextNew_(qp.attributes().sq_psn),
      unacknowledged_(nextNew_),
      highest_(nextNew_),
      triesLeft_(qp.attributes().retry_cnt),
      receiverTriesLeft_(qp.attributes().rnr_retry) {}

uint32_t Requester::packetsOf(const SendRequest &request) const {
  if (request.isAtomic()) return 1;
  return static_cast<uint32_t>(std::max<uint64_t>((request.length + mtu() - 1) / mtu(), 1));
}

void Requester::advance() {
  wantsRoom_ = false;
  if (isOver_ || awaitsReceiver_) return;
  while (outlet_.hasRoom()) {
    if (!sendNext()) break;
  }
  if (isOver_) return;
  wantsRoom_ = !outlet_.hasRoom();
  if (qp_.isReliable() && inFlight() > 0) awaitAnswer();
}

// Gives a send its packet numbers. False if it cannot be done: then it fails as soon as those before it are done.
bool Requester::start(const SendRequest &request) {
  int problem = VB_IBV_WC_SUCCESS;
  if (request.length > HcaLimits::kMessage || (request.isAtomic() && request.length < sizeof(uint64_t))) problem = VB_IBV_WC_LOC_LEN_ERR;
  if (request.isRead() && qp_.attributes().max_rd_atomic == 0) problem = VB_IBV_WC_LOC_QP_OP_ERR;
  if (problem != VB_IBV_WC_SUCCESS) {
    if (at_ == 0) finish(problem);
    return false;
  }
  uint32_t packets = packetsOf(request);
  started_.push_back({nextNew_, packets});
  nextNew_ = psn::add(nextNew_, packets);
  return true;
}

// Sends one packet; false if none may be sent now.
bool Requester::sendNext() {
  if (at_ >= qp_.runnable()) return false;
  const SendRequest &request = qp_.sends().at(static_cast<uint32_t>(at_));
  // An unreliable connection has no answers, so nothing is in flight for it.
  if (qp_.isReliable() && inFlight() >= kWindow) return false;
  if ((request.flags & VB_IBV_SEND_FENCE) != 0 && packet_ == 0 && !reads_.empty()) return false;
  if (at_ == started_.size() && !start(request)) return false;
  Spans message;
  if (!gather(qp_, request, message)) {
    if (at_ == 0) finish(VB_IBV_WC_LOC_PROT_ERR);
    return false;
  }
  return request.isRead() ? sendRead(request) : sendPart(request, message);
}

bool Requester::sendPart(const SendRequest &request, const Spans &message) {
  uint64_t offset = static_cast<uint64_t>(packet_) * mtu();
  size_t length = static_cast<size_t>(std::min<uint64_t>(mtu(), request.length - offset));
  bool isFirst = packet_ == 0;
  bool isLast = packet_ + 1 == started_[at_].packets;
  TransportHead head;
  head.opcode = serviceOf(qp_) | operationOf(request, isFirst, isLast);
  head.isSolicited = isLast && request.isSolicited() && request.needsReceive();
  head.pkey = qp_.pkey();
  head.destQpn = qp_.attributes().dest_qp_num;
  head.psn = nextToSend();
  head.wantsAcknowledge = qp_.isReliable() && (isLast || head.psn % kAcknowledgeEvery == 0);
  head.address = request.remoteAddress;
  head.rkey = request.rkey;
  head.dmaLength = static_cast<uint32_t>(request.length);
  head.immediate = request.immediate;
  outlet_.send(qp_, qp_.path(), head, message, offset, length);
  sent(1);
  if (!qp_.isReliable() && isLast) complete();
  return !isOver_;
}

bool Requester::sendRead(const SendRequest &request) {
  if (reads_.size() >= qp_.attributes().max_rd_atomic) return false;
  uint32_t count = std::min(started_[at_].packets - packet_, kReadPart - packet_ % kReadPart);
  if (count > kWindow - inFlight()) return false;
  uint64_t offset = static_cast<uint64_t>(packet_) * mtu();
  TransportHead head;
  head.opcode = request.opcode == VB_IBV_WR_RDMA_READ                ? operation::kReadRequest
                : request.opcode == VB_IBV_WR_ATOMIC_FETCH_AND_ADD ? operation::kFetchAdd
                                                                   : operation::kCompareSwap;
  head.pkey = qp_.pkey();
  head.destQpn = qp_.attributes().dest_qp_num;
  head.psn = nextToSend();
  head.wantsAcknowledge = true;
  head.address = request.remoteAddress + offset;
  head.rkey = request.rkey;
  head.dmaLength = static_cast<uint32_t>(std::min<uint64_t>(static_cast<uint64_t>(count) * mtu(), request.length - offset));
  bool isAdd = request.opcode == VB_IBV_WR_ATOMIC_FETCH_AND_ADD;
  head.swapAdd = isAdd ? request.compareAdd : request.swap;
  head.compare = isAdd ? 0 : request.compareAdd;
  outlet_.send(qp_, qp_.path(), head);
  reads_.push_back(psn::add(head.psn, count - 1));
  sent(count);
  return true;
}

void Requester::sent(uint32_t packets) {
  if (inFlight() == 0) deadline_ = patience();
  packet_ += packets;
  if (packet_ == started_[at_].packets) {
    ++at_;
    packet_ = 0;
  }
  if (psn::isBefore(highest_, nextToSend())) highest_ = nextToSend();
}

void Requester::receive(const IncomingPacket &packet) {
  uint32_t number = packet.head.psn;
  // What is not in flight is an answer to something that was answered before.
  if (isOver_ || psn::distance(unacknowledged_, number) >= psn::distance(unacknowledged_, highest_)) return;
  if ((packet.head.opcode & operation::kMask) != operation::kAcknowledge) {
    if (acknowledgeBefore(number)) takeAnswer(packet);
  } else if ((packet.head.syndrome & syndrome::kKindMask) == 0) {
    acknowledgeBefore(psn::add(number, 1));
  } else if (acknowledgeBefore(number)) {
    takeNegative(packet);
  }
  advance();
}

// All requests before `psn` have arrived. False if the answer of one of them did not (it is asked for again), or all is over.
bool Requester::acknowledgeBefore(uint32_t psn) {
  while (!isOver_ && unacknowledged_ != psn) {
    if (qp_.sends().front().isRead()) {
      if (!isRecovering_ && countRetry()) sendAgain();
      return false;
    }
    uint32_t end = psn::add(started_.front().first, started_.front().packets);
    if (psn::distance(unacknowledged_, psn) < psn::distance(unacknowledged_, end)) {
      moved(psn);
      return true;
    }
    moved(end);
    complete();
  }
  return !isOver_;
}

void Requester::takeAnswer(const IncomingPacket &packet) {
  const SendRequest &request = qp_.sends().front();
  bool isAtomic = (packet.head.opcode & operation::kMask) == operation::kAtomicAcknowledge;
  uint32_t number = psn::distance(started_.front().first, unacknowledged_);
  uint64_t offset = static_cast<uint64_t>(number) * mtu();
  bool isExpected = request.isRead() && request.isAtomic() == isAtomic &&
                    (isAtomic || packet.payload.size() == std::min<uint64_t>(mtu(), request.length - offset));
  if (!isExpected) {
    finish(VB_IBV_WC_BAD_RESP_ERR);
    return;
  }
  Spans into;
  if (!gather(qp_, request, into)) {
    finish(VB_IBV_WC_LOC_PROT_ERR);
    return;
  }
  uint64_t original = packet.head.original;
  Spans answer;
  if (isAtomic) {
    answer.add(reinterpret_cast<uint8_t *>(&original), sizeof original);
  } else {
    answer.add(const_cast<uint8_t *>(packet.payload.data()), packet.payload.size());
  }
  into.fill(offset, answer);
  uint32_t length = isAtomic ? static_cast<uint32_t>(sizeof original) : static_cast<uint32_t>(request.length);
  bool isLast = number + 1 == started_.front().packets;
  moved(psn::add(unacknowledged_, 1));
  if (isLast) complete(length);
}

void Requester::takeNegative(const IncomingPacket &packet) {
  uint8_t code = packet.head.syndrome;
  if ((code & syndrome::kKindMask) == syndrome::kRnr) {
    receiverNotReady(code & syndrome::kDetailMask);
    return;
  }
  switch (code) {
    case syndrome::kSequenceError:
      // A responder says it once; what comes while this packet is on its way again is an echo.
      if (!isRecovering_ && countRetry()) sendAgain();
      break;
    case syndrome::kInvalidRequest:
      finish(VB_IBV_WC_REM_INV_REQ_ERR);
      break;
    case syndrome::kRemoteAccess:
      finish(VB_IBV_WC_REM_ACCESS_ERR);
      break;
    case syndrome::kRemoteOperation:
      finish(VB_IBV_WC_REM_OP_ERR);
      break;
    default:
      break;  // reserved codes are ignored
  }
}

void Requester::receiverNotReady(uint8_t timerCode) {
  if (awaitsReceiver_) return;
  if (qp_.attributes().rnr_retry != kForeverRetry) {
    if (receiverTriesLeft_ == 0) {
      finish(VB_IBV_WC_RNR_RETRY_EXC_ERR);
      return;
    }
    --receiverTriesLeft_;
  }
  disarm();
  awaitsReceiver_ = true;
  timer_ = Process::get().timers().arm(Clock::now() + receiverNotReadyTime(timerCode), [this] {
    timer_ = {};
    awaitsReceiver_ = false;
    sendAgain();
    qp_.advance();
  });
  Process::get().timersChanged();
}

// Everything before `psn` is done.
void Requester::moved(uint32_t psn) {
  unacknowledged_ = psn;
  while (!reads_.empty() && psn::isBefore(reads_.front(), psn)) reads_.pop_front();
  // Sending again had not come so far yet: that is not necessary any more.
  if (at_ == 0 && psn::isBefore(nextToSend(), psn)) packet_ = psn::distance(started_.front().first, psn);
  triesLeft_ = qp_.attributes().retry_cnt;
  receiverTriesLeft_ = qp_.attributes().rnr_retry;
  isRecovering_ = false;
  deadline_ = patience();
}

// The oldest send is done.
void Requester::complete(uint32_t byteLength) {
  started_.pop_front();
  if (at_ > 0) {
    --at_;
  } else {
    packet_ = 0;
  }
  if (!qp_.isReliable()) unacknowledged_ = nextToSend();
  qp_.finishSend(VB_IBV_WC_SUCCESS, byteLength);
}

// The oldest send has failed, and with it the queue.
void Requester::finish(int status) {
  started_.clear();
  reads_.clear();
  at_ = 0;
  packet_ = 0;
  disarm();
  qp_.finishSend(status);
}

Clock::time_point Requester::patience() const {
  return Clock::now() + acknowledgePatience(qp_.attributes().timeout, qp_.attributes().retry_cnt - triesLeft_);
}

bool Requester::countRetry() {
  if (triesLeft_ == 0) {
    finish(VB_IBV_WC_RETRY_EXC_ERR);
    return false;
  }
  --triesLeft_;
  return true;
}

// Goes back to the first packet that is not acknowledged.
void Requester::sendAgain() {
  isRecovering_ = true;
  at_ = 0;
  packet_ = started_.empty() ? 0 : psn::distance(started_.front().first, unacknowledged_);
  reads_.clear();
  deadline_ = patience();
}

void Requester::awaitAnswer() {
  if (timer_.sequence != 0 || qp_.attributes().timeout == 0) return;  // 0: for ever
  timer_ = Process::get().timers().arm(deadline_, [this] {
    timer_ = {};
    onTimer();
  });
  Process::get().timersChanged();
}

void Requester::onTimer() {
  if (inFlight() == 0) return;
  // Answers have moved the end of the wait; and what still waits in this process is not lost.
  if (!outlet_.hasRoom()) deadline_ = patience();
  if (Clock::now() < deadline_) {
    awaitAnswer();
    return;
  }
  isRecovering_ = false;
  if (!countRetry()) return;
  sendAgain();
  qp_.advance();
}

void Requester::disarm() {
  Process::get().timers().cancel(timer_);
  awaitsReceiver_ = false;
}

void Requester::stop() {
  isOver_ = true;
  disarm();
}

}  // namespace fabricsim
