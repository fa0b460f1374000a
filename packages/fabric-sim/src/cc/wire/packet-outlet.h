// The way of packets out of an HCA: headers and payload are written where the connection to the fabric takes them from.
#pragma once

#include "hca/hca.h"
#include "hca/queue-pair.h"
#include "hca/spans.h"
#include "wire/transport-packet.h"

namespace fabricsim {

class PacketOutlet {
 public:
  explicit PacketOutlet(Hca &hca) : hca_(hca) {}

  bool hasRoom() const { return hca_.device().client().hasRoom(); }

  // Sends from the port of `from` the `length` bytes of `message` behind its first `offset`. A port that is not active loses it.
  void send(const QueuePair &from, const AddressVector &to, const TransportHead &head, const Spans &message, uint64_t offset, size_t length) {
    const PortState *port = hca_.port(from.attributes().port_num);
    if (port == nullptr || port->state != VB_IBV_PORT_ACTIVE) return;
    AttachClient &client = hca_.device().client();
    uint8_t *packet = client.addData(hca_.device().hcaIndex(), port->number, packetSize(to, head.opcode, length));
    if (packet == nullptr) return;
    message.copyOut(offset, length, writePacket(packet, *port, to, head, length));
  }
  // One without payload.
  void send(const QueuePair &from, const AddressVector &to, const TransportHead &head) { send(from, to, head, Spans(), 0, 0); }

 private:
  Hca &hca_;
};

}  // namespace fabricsim
