#include "hca/loopback.h"

#include "hca/datagram.h"
#include "hca/message-memory.h"
#include "hca/queue-pair.h"
#include "hca/spans.h"

namespace fabricsim::loopback {

namespace {

constexpr uint16_t kKeyBits = 0x7fff;
constexpr uint16_t kFullMember = 0x8000;

// How an RC requester hears of a refusal, and what the responder's program does.
struct Refusal {
  int toRequester;
  int event;
};
constexpr Refusal kAccess = {VB_IBV_WC_REM_ACCESS_ERR, VB_IBV_EVENT_QP_ACCESS_ERR};
constexpr Refusal kInvalid = {VB_IBV_WC_REM_INV_REQ_ERR, VB_IBV_EVENT_QP_REQ_ERR};
constexpr Refusal kOperation = {VB_IBV_WC_REM_OP_ERR, -1};

// What keeps a message from arriving holds up a reliable connection. An unreliable one loses the message, and nobody hears of it.
Outcome heldUp(QueuePair &from, const SendRequest &request, Outcome reliable) {
  if (from.isReliable()) return reliable;
  from.completeSend(request, VB_IBV_WC_SUCCESS);
  return Outcome::Done;
}

Outcome refuse(QueuePair &from, const SendRequest &request, QueuePair &peer, const Refusal &refusal) {
  if (!from.isReliable()) return heldUp(from, request, Outcome::Done);
  peer.fail(refusal.event);
  from.completeSend(request, refusal.toRequester);
  return Outcome::Done;
}

vb_ibv_wc received(const QueuePair &from, const SendRequest &request, uint64_t wrId, uint32_t length) {
  const PortState *port = from.hca().port(from.attributes().port_num);
  vb_ibv_wc completion = {};
  completion.wr_id = wrId;
  completion.opcode = request.isWrite() ? VB_IBV_WC_RECV_RDMA_WITH_IMM : VB_IBV_WC_RECV;
  completion.byte_len = length;
  completion.src_qp = from.qpn();
  completion.slid = port == nullptr ? 0 : static_cast<uint16_t>(port->lid | from.path().pathBits);
  completion.sl = from.path().sl;
  completion.dlid_path_bits = port == nullptr ? 0 : static_cast<uint8_t>(from.path().dlid & ((1u << port->lmc) - 1));
  if (request.hasImmediate()) {
    completion.wc_flags = VB_IBV_WC_WITH_IMM;
    completion.be_imm_data = request.immediate;
  }
  return completion;
}

Outcome sendMessage(QueuePair &from, const SendRequest &request, QueuePair &peer, const Spans &message) {
  ReceiveRequest into;
  if (!peer.takeReceive(into)) return heldUp(from, request, Outcome::NoReceiver);
  Spans buffer;
  if (!buffer.add(peer.hca(), peer.pd(), into.sges, into.sgeCount, VB_IBV_ACCESS_LOCAL_WRITE)) {
    peer.failReceive(into.wrId, VB_IBV_WC_LOC_PROT_ERR);
    return refuse(from, request, peer, kOperation);
  }
  if (buffer.total() < message.total()) {
    peer.failReceive(into.wrId, VB_IBV_WC_LOC_LEN_ERR);
    return refuse(from, request, peer, kInvalid);
  }
  buffer.fill(0, message);
  peer.completeReceive(received(from, request, into.wrId, static_cast<uint32_t>(message.total())), request.isSolicited());
  from.completeSend(request, VB_IBV_WC_SUCCESS);
  return Outcome::Done;
}

Outcome write(QueuePair &from, const SendRequest &request, QueuePair &peer, const Spans &message) {
  Spans where;
  if (!remoteBytes(peer, request.remoteAddress, request.rkey, message.total(), VB_IBV_ACCESS_REMOTE_WRITE, where)) return refuse(from, request, peer, kAccess);
  ReceiveRequest into;
  if (request.hasImmediate() && !peer.takeReceive(into)) return heldUp(from, request, Outcome::NoReceiver);
  where.fill(0, message);
  if (request.hasImmediate()) peer.completeReceive(received(from, request, into.wrId, static_cast<uint32_t>(message.total())), request.isSolicited());
  from.completeSend(request, VB_IBV_WC_SUCCESS);
  return Outcome::Done;
}

Outcome read(QueuePair &from, const SendRequest &request, QueuePair &peer, Spans &into) {
  if (from.attributes().max_rd_atomic == 0) {
    from.completeSend(request, VB_IBV_WC_LOC_QP_OP_ERR);
    return Outcome::Done;
  }
  if (peer.attributes().max_dest_rd_atomic == 0) return refuse(from, request, peer, kInvalid);
  if (!request.isAtomic()) {
    Spans where;
    if (!remoteBytes(peer, request.remoteAddress, request.rkey, into.total(), VB_IBV_ACCESS_REMOTE_READ, where)) return refuse(from, request, peer, kAccess);
    into.fill(0, where);
    from.completeSend(request, VB_IBV_WC_SUCCESS, static_cast<uint32_t>(into.total()));
    return Outcome::Done;
  }
  Spans where;
  if ((request.remoteAddress & 7) != 0) return refuse(from, request, peer, kInvalid);
  if (!remoteBytes(peer, request.remoteAddress, request.rkey, 8, VB_IBV_ACCESS_REMOTE_ATOMIC, where)) return refuse(from, request, peer, kAccess);
  if (into.total() < 8) {
    from.completeSend(request, VB_IBV_WC_LOC_LEN_ERR);
    return Outcome::Done;
  }
  bool isAdd = request.opcode == VB_IBV_WR_ATOMIC_FETCH_AND_ADD;
  uint64_t before = doAtomic(where.begin()->bytes, isAdd, request.compareAdd, request.swap);
  Spans value;
  value.add(reinterpret_cast<uint8_t *>(&before), sizeof before);
  into.fill(0, value);
  from.completeSend(request, VB_IBV_WC_SUCCESS, sizeof before);
  return Outcome::Done;
}

}  // namespace

bool mayTalk(uint16_t a, uint16_t b) { return (a & kKeyBits) != 0 && (a & kKeyBits) == (b & kKeyBits) && ((a | b) & kFullMember) != 0; }

QueuePair *peerOf(const QueuePair &qp) {
  const PortState *port = qp.hca().port(qp.attributes().port_num);
  if (port == nullptr || port->state != VB_IBV_PORT_ACTIVE || !isOwnLid(*port, qp.path().dlid)) return nullptr;
  return qp.hca().queuePair(qp.attributes().dest_qp_num);
}

Outcome send(QueuePair &from, const SendRequest &request, QueuePair *peer) {
  Spans message;
  if (request.length > HcaLimits::kMessage) {
    from.completeSend(request, VB_IBV_WC_LOC_LEN_ERR);
    return Outcome::Done;
  }
  if (!gather(from, request, message)) {
    from.completeSend(request, VB_IBV_WC_LOC_PROT_ERR);
    return Outcome::Done;
  }
  if (peer == nullptr) {
    return datagram::send(from, request, message);
  }
  bool isPeer = peer->type() == from.type() && peer->canReceive() && peer->attributes().dest_qp_num == from.qpn() &&
                peer->attributes().port_num == from.attributes().port_num && mayTalk(from.pkey(), peer->pkey());
  if (!isPeer) return heldUp(from, request, Outcome::NoAnswer);
  peer->established();
  Outcome outcome = request.isRead()    ? read(from, request, *peer, message)
                    : request.isWrite() ? write(from, request, *peer, message)
                                        : sendMessage(from, request, *peer, message);
  if (outcome == Outcome::Done) from.progressed();
  return outcome;
}

void receiverReady(QueuePair &receiver) {
  if (!receiver.isReliable()) return;
  QueuePair *sender = peerOf(receiver);
  if (sender != nullptr && sender->waiting() == Waiting::Receiver) sender->resume();
}

}  // namespace fabricsim::loopback
