#include "hca/datagram.h"

#include "hca/loopback.h"
#include "hca/wire.h"
#include "packet-headers.h"

namespace fabricsim {

bool isOwnLid(const PortState &port, uint16_t lid) {
  return port.lid != 0 && (lid & ~((1u << port.lmc) - 1u)) == (port.lid & ~((1u << port.lmc) - 1u));
}

namespace datagram {

namespace {

constexpr uint32_t kControlledQkey = 0x80000000;

uint64_t mtuBytes(const PortState &port) { return UINT64_C(128) << port.activeMtu; }

vb_ibv_grh header(const PortState &port, const AddressVector &to, const Spans &message, bool hasImmediate) {
  static_assert(sizeof(vb_ibv_grh) == kGrhSize);
  vb_ibv_grh grh;
  size_t payload = static_cast<size_t>((message.total() + 3) & ~UINT64_C(3));
  writeGrh(reinterpret_cast<uint8_t *>(&grh), port, globalRoute(to), kBthSize + kDethSize + (hasImmediate ? 4 : 0) + payload);
  return grh;
}

void deliverHere(QueuePair &from, const SendRequest &request, const Spans &message, const PortState &port) {
  const AddressVector &to = *request.to;
  vb_ibv_grh grh = {};
  if (to.isGlobal) grh = header(port, to, message, request.hasImmediate());
  uint8_t pathMask = static_cast<uint8_t>((1u << port.lmc) - 1);
  Origin origin = {};
  origin.qpn = from.qpn();
  origin.slid = sourceLid(port, to.pathBits);
  origin.sl = to.sl;
  origin.dlidPathBits = to.isMulticast() ? 0 : static_cast<uint8_t>(to.dlid & pathMask);
  origin.pkey = from.pkey();
  origin.qkey = qkeyOf(from, request);
  origin.hasImmediate = request.hasImmediate();
  origin.immediate = request.immediate;
  origin.isSolicited = request.isSolicited();
  origin.grh = to.isGlobal ? &grh : nullptr;
  if (!to.isMulticast()) {
    if (QueuePair *receiver = from.hca().queuePair(request.remoteQpn)) deliver(*receiver, origin, message);
    return;
  }
  auto group = from.hca().groups().find(to.dgid);
  if (group == from.hca().groups().end()) return;
  for (QueuePair *member : group->second) {
    if (member->attributes().port_num == from.attributes().port_num) deliver(*member, origin, message);
  }
}

}  // namespace

uint32_t qkeyOf(const QueuePair &from, const SendRequest &request) {
  return (request.remoteQkey & kControlledQkey) != 0 ? from.attributes().qkey : request.remoteQkey;
}

loopback::Outcome send(QueuePair &from, const SendRequest &request, const Spans &message) {
  const PortState *port = from.hca().port(from.attributes().port_num);
  if (port == nullptr || message.total() > mtuBytes(*port)) {
    from.completeSend(request, VB_IBV_WC_LOC_LEN_ERR);
    return loopback::Outcome::Done;
  }
  const AddressVector &to = *request.to;
  bool isUp = port->state == VB_IBV_PORT_ACTIVE;
  bool isHere = isUp && isOwnLid(*port, to.dlid) && from.hca().queuePair(request.remoteQpn) != nullptr;
  bool needsWire = isUp && !isHere;
  if (needsWire && !from.hca().wire().hasRoom()) return loopback::Outcome::NoRoom;
  if (isHere || (isUp && to.isMulticast())) deliverHere(from, request, message, *port);
  if (needsWire) from.hca().wire().sendDatagram(from, request, message);
  from.completeSend(request, VB_IBV_WC_SUCCESS);
  return loopback::Outcome::Done;
}

void deliver(QueuePair &to, const Origin &origin, const Spans &message) {
  if (to.type() != VB_IBV_QPT_UD || !to.canReceive()) return;
  if (!loopback::mayTalk(origin.pkey, to.pkey())) {
    to.hca().wire().tellViolation(to, Violation::Pkey);
    return;
  }
  if (origin.qkey != to.attributes().qkey) {
    to.hca().wire().tellViolation(to, Violation::Qkey);
    return;
  }
  ReceiveRequest into;
  if (!to.takeReceive(into)) return;
  Spans buffer;
  if (!buffer.add(to.hca(), to.pd(), into.sges, into.sgeCount, VB_IBV_ACCESS_LOCAL_WRITE)) {
    to.failReceive(into.wrId, VB_IBV_WC_LOC_PROT_ERR);
    to.fail(VB_IBV_EVENT_QP_FATAL);
    return;
  }
  if (buffer.total() < message.total() + kGrhSize) {
    to.failReceive(into.wrId, VB_IBV_WC_LOC_LEN_ERR);
    to.fail(VB_IBV_EVENT_QP_FATAL);
    return;
  }
  if (origin.grh != nullptr) {
    Spans head;
    head.add(reinterpret_cast<uint8_t *>(const_cast<vb_ibv_grh *>(origin.grh)), kGrhSize);
    buffer.fill(0, head);
  }
  buffer.fill(kGrhSize, message);
  vb_ibv_wc completion = {};
  completion.wr_id = into.wrId;
  completion.opcode = VB_IBV_WC_RECV;
  completion.byte_len = static_cast<uint32_t>(message.total()) + kGrhSize;
  completion.src_qp = origin.qpn;
  if (origin.grh != nullptr) completion.wc_flags |= VB_IBV_WC_GRH;
  if (origin.hasImmediate) completion.wc_flags |= VB_IBV_WC_WITH_IMM;
  completion.be_imm_data = origin.immediate;
  completion.pkey_index = to.attributes().pkey_index;
  completion.slid = origin.slid;
  completion.sl = origin.sl;
  completion.dlid_path_bits = origin.dlidPathBits;
  to.completeReceive(completion, origin.isSolicited);
}

}  // namespace datagram
}  // namespace fabricsim
