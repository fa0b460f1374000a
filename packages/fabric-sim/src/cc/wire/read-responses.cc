// What a responder sends back: the bytes of reads, the old values of atomics, and all that again for requests that come twice (IBA 9.7.4.2,
// 9.7.5.1.3 to 9.7.5.1.5).
#include <algorithm>

#include "hca/message-memory.h"
#include "wire/opcode.h"
#include "wire/psn.h"
#include "wire/responder.h"

namespace fabricsim {

void Responder::takeRead(const IncomingPacket &packet) {
  const TransportHead &request = packet.head;
  if (qp_.attributes().max_dest_rd_atomic == 0) {
    refuse(syndrome::kInvalidRequest, VB_IBV_EVENT_QP_REQ_ERR);
    return;
  }
  Spans bytes;
  if (!remoteBytes(qp_, request.address, request.rkey, request.dmaLength, VB_IBV_ACCESS_REMOTE_READ, bytes)) {
    refuse(syndrome::kRemoteAccess, VB_IBV_EVENT_QP_ACCESS_ERR);
    return;
  }
  ++messages_;
  expected_ = psn::add(expected_, std::max((request.dmaLength + mtu() - 1) / mtu(), 1u));
  answerRead(request, bytes);
}

void Responder::answerRead(const TransportHead &request, const Spans &bytes) {
  owesAcknowledge_ = false;
  uint32_t count = std::max((request.dmaLength + mtu() - 1) / mtu(), 1u);
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t op = count == 1       ? operation::kReadResponseOnly
                 : i == 0         ? operation::kReadResponseFirst
                 : i + 1 == count ? operation::kReadResponseLast
                                  : operation::kReadResponseMiddle;
    uint64_t offset = static_cast<uint64_t>(i) * mtu();
    size_t length = static_cast<size_t>(std::min<uint64_t>(mtu(), request.dmaLength - offset));
    outlet_.send(qp_, qp_.path(), answerHead(op, psn::add(request.psn, i)), bytes, offset, length);
  }
}

void Responder::takeAtomic(const IncomingPacket &packet) {
  const TransportHead &request = packet.head;
  if (qp_.attributes().max_dest_rd_atomic == 0 || (request.address & 7) != 0) {
    refuse(syndrome::kInvalidRequest, VB_IBV_EVENT_QP_REQ_ERR);
    return;
  }
  Spans cell;
  if (!remoteBytes(qp_, request.address, request.rkey, sizeof(uint64_t), VB_IBV_ACCESS_REMOTE_ATOMIC, cell)) {
    refuse(syndrome::kRemoteAccess, VB_IBV_EVENT_QP_ACCESS_ERR);
    return;
  }
  bool isAdd = (request.opcode & operation::kMask) == operation::kFetchAdd;
  uint64_t original = doAtomic(cell.begin()->bytes, isAdd, isAdd ? request.swapAdd : request.compare, request.swapAdd);
  // No more than this many can be repeated, since no more may be in flight.
  atomics_.push_back({request.psn, original});
  if (atomics_.size() > qp_.attributes().max_dest_rd_atomic) atomics_.pop_front();
  ++messages_;
  expected_ = psn::add(expected_, 1);
  answerAtomic(request.psn, original);
}

void Responder::answerAtomic(uint32_t number, uint64_t original) {
  owesAcknowledge_ = false;
  TransportHead head = answerHead(operation::kAtomicAcknowledge, number);
  head.original = original;
  outlet_.send(qp_, qp_.path(), head);
}

// A request that was done before: its acknowledgement may have been lost. A read is read again, an atomic is not done again.
void Responder::repeat(const IncomingPacket &packet) {
  const TransportHead &request = packet.head;
  uint8_t op = request.opcode & operation::kMask;
  if (op == operation::kReadRequest) {
    Spans bytes;
    if (remoteBytes(qp_, request.address, request.rkey, request.dmaLength, VB_IBV_ACCESS_REMOTE_READ, bytes)) answerRead(request, bytes);
  } else if (op == operation::kCompareSwap || op == operation::kFetchAdd) {
    auto found = std::find_if(atomics_.begin(), atomics_.end(), [&](const Atomic &done) { return done.psn == request.psn; });
    if (found != atomics_.end()) answerAtomic(request.psn, found->original);
  } else {
    owesAcknowledge_ = true;
  }
}

}  // namespace fabricsim
