// The sending half of a connection: cuts the sends of a queue pair into packets and, for reliable ones, sees that they arrive (IBA 9.7.3,
// 9.7.5, 9.7.6; unreliable: 9.8.2). Packets in flight are few enough not to flood the fabric; what got lost is sent again from there on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "hca/queue-pair.h"
#include "timer-queue.h"
#include "wire/packet-outlet.h"
#include "wire/psn.h"

namespace fabricsim {

class Requester {
 public:
  Requester(QueuePair &qp, PacketOutlet &outlet);

  // Sends what may be sent now.
  void advance();
  // It has stopped because the fabric takes nothing more now.
  bool wantsRoom() const { return wantsRoom_; }
  // An acknowledgement, or the answer of a read or an atomic.
  void receive(const IncomingPacket &packet);
  // The connection is over; nothing is touched any more.
  void stop();

 private:
  // A send that has its packet numbers; number i of them is number i of the send queue.
  struct Started {
    uint32_t first;    // PSN
    uint32_t packets;  // PSNs; of a read those of its answer
  };

  uint32_t mtu() const { return 128u << qp_.attributes().path_mtu; }
  uint32_t packetsOf(const SendRequest &request) const;
  uint32_t nextToSend() const { return at_ < started_.size() ? psn::add(started_[at_].first, packet_) : nextNew_; }
  uint32_t inFlight() const { return psn::distance(unacknowledged_, nextToSend()); }

  bool start(const SendRequest &request);
  bool sendNext();
  bool sendPart(const SendRequest &request, const Spans &message);
  bool sendRead(const SendRequest &request);
  void sent(uint32_t packets);

  bool acknowledgeBefore(uint32_t psn);
  void takeAnswer(const IncomingPacket &packet);
  void takeNegative(const IncomingPacket &packet);
  void receiverNotReady(uint8_t timerCode);
  void moved(uint32_t psn);
  void complete(uint32_t byteLength = 0);
  void finish(int status);
  Clock::time_point patience() const;
  bool countRetry();
  void sendAgain();
  void awaitAnswer();
  void onTimer();
  void disarm();

  QueuePair &qp_;
  PacketOutlet &outlet_;
  std::deque<Started> started_;
  size_t at_ = 0;          // the send whose packet is next
  uint32_t packet_ = 0;    // which of its packets
  uint32_t nextNew_;       // PSN of the next send that is started
  uint32_t unacknowledged_;
  uint32_t highest_;       // one behind the highest PSN that was sent
  std::deque<uint32_t> reads_;  // last PSNs of the reads and atomics in flight
  uint32_t triesLeft_;
  uint32_t receiverTriesLeft_;
  bool isRecovering_ = false;   // sending again; further signs of the same loss say nothing new
  bool awaitsReceiver_ = false;
  bool wantsRoom_ = false;
  bool isOver_ = false;
  Clock::time_point deadline_ = {};
  TimerQueue::Handle timer_ = {};
};

}  // namespace fabricsim
