#include "wire/fabric-wire.h"

#include <algorithm>
#include <cstring>

#include "hca/datagram.h"
#include "hca/loopback.h"
#include "process.h"
#include "wire/opcode.h"
#include "wire/psn.h"

namespace fabricsim {

namespace {
// The peer is in this process, and the port is down: nothing leaves it.
bool isPeerHere(const QueuePair &qp) {
  const PortState *port = qp.hca().port(qp.attributes().port_num);
  return port != nullptr && isOwnLid(*port, qp.path().dlid) && qp.hca().queuePair(qp.attributes().dest_qp_num) != nullptr;
}

uint8_t serviceOf(const QueuePair &qp) {
  return qp.type() == VB_IBV_QPT_UD ? service::kUnreliableDatagram
         : qp.isReliable()          ? service::kReliableConnection
                                    : service::kUnreliableConnection;
}
}  // namespace

FabricWire::Connection &FabricWire::connection(QueuePair &qp) {
  auto &found = connections_[&qp];
  if (found == nullptr) found = std::make_unique<Connection>(qp, outlet_);
  return *found;
}

void FabricWire::awaitRoom(QueuePair &qp) {
  if (std::find(awaitRoom_.begin(), awaitRoom_.end(), &qp) == awaitRoom_.end()) awaitRoom_.push_back(&qp);
}

void FabricWire::sendDatagram(QueuePair &from, const SendRequest &request, const Spans &message) {
  TransportHead head;
  head.opcode =
      service::kUnreliableDatagram | (request.hasImmediate() ? operation::kSendOnlyImmediate : operation::kSendOnly);
  head.isSolicited = request.isSolicited();
  head.pkey = from.pkey();
  head.destQpn = request.remoteQpn;
  std::optional<uint32_t> &next = connection(from).nextDatagram;
  head.psn = next.value_or(from.attributes().sq_psn);
  next = psn::add(head.psn, 1);
  head.qkey = datagram::qkeyOf(from, request);
  head.sourceQpn = from.qpn();
  head.immediate = request.immediate;
  outlet_.send(from, *request.to, head, message, 0, static_cast<size_t>(message.total()));
}

void FabricWire::advance(QueuePair &from) {
  if (isPeerHere(from)) {
    from.awaitAnswer();
    return;
  }
  Connection &own = connection(from);
  if (!own.requester) own.requester.emplace(from, outlet_);
  own.requester->advance();
  if (own.requester->wantsRoom()) awaitRoom(from);
}

void FabricWire::forget(QueuePair &qp) {
  std::erase(awaitRoom_, &qp);
  std::erase(oweAcknowledge_, &qp);
  auto found = connections_.find(&qp);
  if (found == connections_.end()) return;
  std::unique_ptr<Connection> own = std::move(found->second);
  connections_.erase(found);
  if (own->requester) own->requester->stop();
  own->responder.stop();
  ended_.push_back(std::move(own));
}

void FabricWire::push() {
  ended_.clear();
  AttachClient &client = hca_.device().client();
  client.push();
  // The progress thread sees no socket become writable that this call has just emptied the outbox into.
  while (!awaitRoom_.empty() && client.hasRoom()) {
    roomAgain();
    client.push();
  }
  // The progress thread writes the rest when the socket takes it.
  if (client.wantsToWrite()) Process::get().wake();
}

void FabricWire::tellViolation(const QueuePair &at, Violation what) {
  LeWriter body;
  auto kind = what == Violation::Pkey ? attach::Key::Partition : attach::Key::Queue;
  body.u32(hca_.device().hcaIndex()).u8(at.attributes().port_num).u8(static_cast<uint8_t>(kind)).u16(0);
  hca_.device().client().send(attach::kViolation, body.bytes());
}

void FabricWire::receive(uint8_t portNumber, ByteView bytes) {
  std::optional<IncomingPacket> packet = parsePacket(bytes);
  if (!packet) return;
  if ((packet->head.opcode & service::kMask) == service::kUnreliableDatagram) {
    receiveDatagram(portNumber, *packet);
  } else {
    receiveConnected(portNumber, *packet);
  }
}

void FabricWire::receiveDatagram(uint8_t portNumber, const IncomingPacket &packet) {
  const TransportHead &head = packet.head;
  const PortState *port = hca_.port(portNumber);
  AddressVector there;
  there.dlid = packet.dlid;
  vb_ibv_grh grh;
  if (packet.grh != nullptr) memcpy(&grh, packet.grh, sizeof grh);
  datagram::Origin origin = {};
  origin.qpn = head.sourceQpn;
  origin.slid = packet.slid;
  origin.sl = packet.sl;
  if (port != nullptr && !there.isMulticast()) origin.dlidPathBits = static_cast<uint8_t>(packet.dlid & ((1u << port->lmc) - 1));
  origin.pkey = head.pkey;
  origin.qkey = head.qkey;
  origin.hasImmediate = (head.opcode & operation::kMask) == operation::kSendOnlyImmediate;
  origin.immediate = head.immediate;
  origin.isSolicited = head.isSolicited;
  origin.grh = packet.grh != nullptr ? &grh : nullptr;
  Spans message;
  message.add(const_cast<uint8_t *>(packet.payload.data()), packet.payload.size());
  if (!there.isMulticast()) {
    QueuePair *qp = hca_.queuePair(head.destQpn);
    if (qp != nullptr && qp->attributes().port_num == portNumber) datagram::deliver(*qp, origin, message);
    return;
  }
  if (packet.grh == nullptr) return;
  RawGid group;
  memcpy(group.data(), grh.dgid.raw, group.size());
  auto found = hca_.groups().find(group);
  if (found == hca_.groups().end()) return;
  for (QueuePair *member : found->second) {
    if (member->attributes().port_num == portNumber) datagram::deliver(*member, origin, message);
  }
}

void FabricWire::receiveConnected(uint8_t portNumber, const IncomingPacket &packet) {
  QueuePair *qp = hca_.queuePair(packet.head.destQpn);
  if (qp == nullptr || !qp->canReceive() || qp->attributes().port_num != portNumber) return;
  if (serviceOf(*qp) != (packet.head.opcode & service::kMask)) return;
  // A connection takes packets from its peer's port only, whatever queue pair number they name (IBA 9.6.1.5).
  if (packet.slid != qp->path().dlid) return;
  if (!loopback::mayTalk(packet.head.pkey, qp->pkey())) {
    tellViolation(*qp, Violation::Pkey);
    return;
  }
  Connection &own = connection(*qp);
  if (isResponse(packet.head.opcode & operation::kMask)) {
    if (!own.requester) return;
    own.requester->receive(packet);
    if (own.requester->wantsRoom()) awaitRoom(*qp);
    return;
  }
  own.responder.receive(packet);
  if (!own.responder.owesAcknowledge() || own.isListed) return;
  own.isListed = true;
  oweAcknowledge_.push_back(qp);
}

void FabricWire::received() {
  for (QueuePair *qp : oweAcknowledge_) {
    Connection &own = connection(*qp);
    own.isListed = false;
    own.responder.acknowledge();
  }
  oweAcknowledge_.clear();
  ended_.clear();
}

void FabricWire::roomAgain() {
  std::vector<QueuePair *> waiting;
  waiting.swap(awaitRoom_);
  for (QueuePair *qp : waiting) qp->resume();
}

}  // namespace fabricsim
