// The receiving half of a connection: takes requests in their order, puts messages where they belong, acknowledges (IBA 9.7.4, 9.7.5;
// unreliable: 9.8.2).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hca/queue-pair.h"
#include "wire/packet-outlet.h"

namespace fabricsim {

class Responder {
 public:
  Responder(QueuePair &qp, PacketOutlet &outlet);

  void receive(const IncomingPacket &packet);
  // Requests are done whose acknowledgement has not gone out: one for all of them is enough.
  bool owesAcknowledge() const { return owesAcknowledge_; }
  void acknowledge();
  // The connection is over; nothing is touched any more. A receive that a message has begun to fill is flushed with the others unless the
  // queue pair is reset.
  void stop();

 private:
  // A receive with a list of its own: its place in the queue may be posted to while the message comes in.
  struct Taken {
    uint64_t wrId;
    std::vector<vb_ibv_sge> sges;
  };
  enum class Message { None, Send, Write };
  struct Atomic {
    uint32_t psn;
    uint64_t original;
  };

  uint32_t mtu() const { return 128u << qp_.attributes().path_mtu; }
  bool isInOrder(const IncomingPacket &packet);
  bool isWellFormed(const IncomingPacket &packet) const;
  void take(const IncomingPacket &packet);
  void takeSend(const IncomingPacket &packet);
  void takeWrite(const IncomingPacket &packet);
  void takeRead(const IncomingPacket &packet);
  void takeAtomic(const IncomingPacket &packet);
  void repeat(const IncomingPacket &packet);
  void answerRead(const TransportHead &request, const Spans &bytes);
  void answerAtomic(uint32_t psn, uint64_t original);

  bool haveReceive();
  bool receiverNotReady();
  void received(const IncomingPacket &packet, int opcode);
  void done(const IncomingPacket &packet, bool isEnd);
  void failReceive(int status);
  void refuse(uint8_t syndrome, int event);
  void answer(uint32_t psn, uint8_t syndrome);
  TransportHead answerHead(uint8_t op, uint32_t psn) const;

  QueuePair &qp_;
  PacketOutlet &outlet_;
  uint32_t expected_;  // PSN
  uint32_t messages_ = 0;  // MSN: requests done
  bool isWaiting_ = false;  // a negative acknowledgement is out: all is dropped until the packet it asks for comes
  bool owesAcknowledge_ = false;
  bool isOver_ = false;
  Message message_ = Message::None;
  uint64_t offset_ = 0;  // bytes of the message that are here
  std::optional<Taken> receive_;
  // Of a write.
  uint64_t address_ = 0;
  uint32_t rkey_ = 0;
  uint32_t dmaLength_ = 0;
  std::deque<Atomic> atomics_;  // answers of the last ones, for repeated requests
};

}  // namespace fabricsim
