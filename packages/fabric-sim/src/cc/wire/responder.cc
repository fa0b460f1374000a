#include "wire/responder.h"

#include "hca/message-memory.h"
#include "wire/opcode.h"
#include "wire/psn.h"

namespace fabricsim {

namespace {
uint8_t operationOf(const IncomingPacket &packet) { return packet.head.opcode & operation::kMask; }

bool hasImmediate(uint8_t op) {
  using namespace operation;
  return op == kSendLastImmediate || op == kSendOnlyImmediate || op == kWriteLastImmediate || op == kWriteOnlyImmediate;
}
}  // namespace

Responder::Responder(QueuePair &qp, PacketOutlet &outlet) : qp_(qp), outlet_(outlet), expected_(qp.attributes().rq_psn) {}

void Responder::receive(const IncomingPacket &packet) {
  if (isOver_ || !isInOrder(packet)) return;
  qp_.established();
  if (isWellFormed(packet)) {
    take(packet);
  } else {
    refuse(syndrome::kInvalidRequest, VB_IBV_EVENT_QP_REQ_ERR);
  }
}

bool Responder::isInOrder(const IncomingPacket &packet) {
  uint32_t number = packet.head.psn;
  if (!qp_.isReliable()) {
    // A new message may begin with any number; one with a gap in it is lost (IBA 9.8.2.2).
    if (traitsOf(operationOf(packet)).isStart) {
      message_ = Message::None;
    } else if (message_ == Message::None || number != expected_) {
      message_ = Message::None;
      return false;
    }
    expected_ = number;
    return true;
  }
  if (number == expected_) {
    isWaiting_ = false;
    return true;
  }
  if (psn::isBefore(number, expected_)) {
    repeat(packet);
  } else if (!isWaiting_) {
    isWaiting_ = true;
    answer(expected_, syndrome::kSequenceError);
  }
  return false;
}

// Order of opcodes within a message, and lengths (IBA 9.7.4.1.2, 9.7.4.1.6).
bool Responder::isWellFormed(const IncomingPacket &packet) const {
  OperationTraits traits = traitsOf(operationOf(packet));
  if (!traits.isSend && !traits.isWrite) return message_ == Message::None && packet.payload.empty();
  Message kind = traits.isSend ? Message::Send : Message::Write;
  if (traits.isStart ? message_ != Message::None : message_ != kind) return false;
  size_t length = packet.payload.size();
  if (!traits.isEnd) return length == mtu();
  return length <= mtu() && (traits.isStart || length > 0);
}

void Responder::take(const IncomingPacket &packet) {
  uint8_t op = operationOf(packet);
  if (op == operation::kReadRequest) {
    takeRead(packet);
  } else if (op == operation::kCompareSwap || op == operation::kFetchAdd) {
    takeAtomic(packet);
  } else if (traitsOf(op).isSend) {
    takeSend(packet);
  } else {
    takeWrite(packet);
  }
}

void Responder::takeSend(const IncomingPacket &packet) {
  OperationTraits traits = traitsOf(operationOf(packet));
  if (traits.isStart) {
    if (!haveReceive()) return;
    offset_ = 0;
    message_ = Message::Send;
  }
  Spans buffer;
  if (!buffer.add(qp_.hca(), qp_.pd(), receive_->sges.data(), static_cast<int>(receive_->sges.size()), VB_IBV_ACCESS_LOCAL_WRITE)) {
    failReceive(VB_IBV_WC_LOC_PROT_ERR);
    refuse(syndrome::kRemoteOperation, -1);
    return;
  }
  if (buffer.total() < offset_ + packet.payload.size()) {
    failReceive(VB_IBV_WC_LOC_LEN_ERR);
    refuse(syndrome::kInvalidRequest, VB_IBV_EVENT_QP_REQ_ERR);
    return;
  }
  Spans payload;
  payload.add(const_cast<uint8_t *>(packet.payload.data()), packet.payload.size());
  buffer.fill(offset_, payload);
  offset_ += packet.payload.size();
  if (traits.isEnd) received(packet, VB_IBV_WC_RECV);
  done(packet, traits.isEnd);
}

void Responder::takeWrite(const IncomingPacket &packet) {
  OperationTraits traits = traitsOf(operationOf(packet));
  bool isSecondHalf = !traits.isStart;
  uint64_t address = isSecondHalf ? address_ : packet.head.address;
  uint32_t rkey = isSecondHalf ? rkey_ : packet.head.rkey;
  uint32_t length = isSecondHalf ? dmaLength_ : packet.head.dmaLength;
  uint64_t offset = isSecondHalf ? offset_ : 0;
  uint64_t end = offset + packet.payload.size();
  if (end > length || (traits.isEnd && end != length)) {
    refuse(syndrome::kInvalidRequest, VB_IBV_EVENT_QP_REQ_ERR);
    return;
  }
  // The whole range is looked at when it is named, and each part again: the region may have gone meanwhile.
  Spans whole;
  Spans where;
  if (!remoteBytes(qp_, address, rkey, length, VB_IBV_ACCESS_REMOTE_WRITE, whole) ||
      !remoteBytes(qp_, address + offset, rkey, packet.payload.size(), VB_IBV_ACCESS_REMOTE_WRITE, where)) {
    refuse(syndrome::kRemoteAccess, VB_IBV_EVENT_QP_ACCESS_ERR);
    return;
  }
  bool needsReceive = hasImmediate(operationOf(packet));
  if (needsReceive && !haveReceive()) return;
  Spans payload;
  payload.add(const_cast<uint8_t *>(packet.payload.data()), packet.payload.size());
  where.fill(0, payload);
  message_ = Message::Write;
  address_ = address;
  rkey_ = rkey;
  dmaLength_ = length;
  offset_ = end;
  if (needsReceive) received(packet, VB_IBV_WC_RECV_RDMA_WITH_IMM);
  done(packet, traits.isEnd);
}

// A receive for a message that begins, or for its immediate data; false if there is none.
bool Responder::haveReceive() {
  // An unreliable message that was lost half way has left its own.
  if (receive_) return true;
  ReceiveRequest into;
  if (!qp_.takeReceive(into)) return receiverNotReady();
  receive_.emplace();
  receive_->wrId = into.wrId;
  for (int i = 0; i < into.sgeCount; ++i) receive_->sges.push_back(into.sges[i]);
  return true;
}

bool Responder::receiverNotReady() {
  if (qp_.isReliable()) {
    isWaiting_ = true;
    answer(expected_, static_cast<uint8_t>(syndrome::kRnr | qp_.attributes().min_rnr_timer));
  } else {
    message_ = Message::None;
  }
  return false;
}

void Responder::received(const IncomingPacket &packet, int opcode) {
  vb_ibv_wc completion = {};
  completion.wr_id = receive_->wrId;
  completion.opcode = opcode;
  completion.byte_len = static_cast<uint32_t>(offset_);
  completion.src_qp = qp_.attributes().dest_qp_num;
  completion.slid = packet.slid;
  completion.sl = packet.sl;
  completion.pkey_index = qp_.attributes().pkey_index;
  const PortState *port = qp_.hca().port(qp_.attributes().port_num);
  if (port != nullptr) completion.dlid_path_bits = static_cast<uint8_t>(packet.dlid & ((1u << port->lmc) - 1));
  if (hasImmediate(operationOf(packet))) {
    completion.wc_flags = VB_IBV_WC_WITH_IMM;
    completion.be_imm_data = packet.head.immediate;
  }
  receive_.reset();
  qp_.completeReceive(completion, packet.head.isSolicited);
}

// The packet has been dealt with.
void Responder::done(const IncomingPacket &packet, bool isEnd) {
  // Its completion may have been one too many for the completion queue.
  if (isOver_) return;
  expected_ = psn::add(expected_, 1);
  if (isEnd) {
    message_ = Message::None;
    ++messages_;
  }
  if (qp_.isReliable() && packet.head.wantsAcknowledge) owesAcknowledge_ = true;
}

void Responder::failReceive(int status) {
  uint64_t wrId = receive_->wrId;
  receive_.reset();
  qp_.failReceive(wrId, status);
}

// A reliable connection ends; an unreliable one loses the message, and nobody hears of it.
void Responder::refuse(uint8_t code, int event) {
  message_ = Message::None;
  if (!qp_.isReliable() || isOver_) return;
  answer(expected_, code);
  qp_.fail(event);
}

TransportHead Responder::answerHead(uint8_t op, uint32_t psn) const {
  TransportHead head;
  head.opcode = service::kReliableConnection | op;
  head.pkey = qp_.pkey();
  head.destQpn = qp_.attributes().dest_qp_num;
  head.psn = psn;
  head.syndrome = syndrome::kAck;
  head.msn = messages_;
  return head;
}

// Whatever goes back says that all before it has arrived.
void Responder::answer(uint32_t psn, uint8_t code) {
  owesAcknowledge_ = false;
  TransportHead head = answerHead(operation::kAcknowledge, psn);
  head.syndrome = code;
  outlet_.send(qp_, qp_.path(), head);
}

void Responder::acknowledge() {
  if (owesAcknowledge_ && !isOver_) answer(psn::add(expected_, psn::kMask), syndrome::kAck);
}

void Responder::stop() {
  isOver_ = true;
  owesAcknowledge_ = false;
  if (receive_ && qp_.state() == VB_IBV_QPS_ERR) failReceive(VB_IBV_WC_WR_FLUSH_ERR);
  receive_.reset();
}

}  // namespace fabricsim
