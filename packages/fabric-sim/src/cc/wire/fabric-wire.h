// Messages as packets through the fabric: to other nodes, and to other processes on this one.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hca/wire.h"
#include "wire/packet-outlet.h"
#include "wire/requester.h"
#include "wire/responder.h"

namespace fabricsim {

class FabricWire final : public Wire {
 public:
  explicit FabricWire(Hca &hca) : hca_(hca), outlet_(hca) {}

  bool hasRoom() const override { return outlet_.hasRoom(); }
  void awaitRoom(QueuePair &qp) override;
  void sendDatagram(QueuePair &from, const SendRequest &request, const Spans &message) override;
  void advance(QueuePair &from) override;
  void forget(QueuePair &qp) override;
  void push() override;
  void tellViolation(const QueuePair &at, Violation what) override;
  void receive(uint8_t portNumber, ByteView packet) override;
  void received() override;
  void roomAgain() override;

 private:
  // What is known of the connection of a queue pair, from its first packet on.
  struct Connection {
    Connection(QueuePair &qp, PacketOutlet &outlet) : responder(qp, outlet) {}
    // From its first send on: packets may come before the queue pair has its first number.
    std::optional<Requester> requester;
    Responder responder;
    std::optional<uint32_t> nextDatagram;  // PSN
    bool isListed = false;  // among those that owe an acknowledgement
  };

  Connection &connection(QueuePair &qp);
  void receiveDatagram(uint8_t portNumber, const IncomingPacket &packet);
  void receiveConnected(uint8_t portNumber, const IncomingPacket &packet);

  Hca &hca_;
  PacketOutlet outlet_;
  std::unordered_map<const QueuePair *, std::unique_ptr<Connection>> connections_;
  // Those that ended while one of their own functions was running.
  std::vector<std::unique_ptr<Connection>> ended_;
  std::vector<QueuePair *> awaitRoom_;
  std::vector<QueuePair *> oweAcknowledge_;
};

}  // namespace fabricsim
