// Unreliable datagrams: to a queue pair of this process, to the members of a multicast group in it, to the wire (IBA 9.8.3, 10.5).
#pragma once

#include "hca/queue-pair.h"
#include "hca/spans.h"

namespace fabricsim {

bool isOwnLid(const PortState &port, uint16_t lid);

namespace datagram {

// Where a datagram came from, as its receiver is told.
struct Origin {
  uint32_t qpn;
  uint16_t slid;
  uint8_t sl;
  uint8_t dlidPathBits;
  uint16_t pkey;
  uint32_t qkey;
  bool hasImmediate;
  uint32_t immediate;
  bool isSolicited;
  const vb_ibv_grh *grh;  // NULL: it has none
};

// The Q_Key a datagram carries: a program that gives a controlled one gets its queue pair's own (IBA 10.2.5).
uint32_t qkeyOf(const QueuePair &from, const SendRequest &request);

// Sends a message whose memory has been checked, and completes it; or NoRoom, and nothing is done.
loopback::Outcome send(QueuePair &from, const SendRequest &request, const Spans &message);

// Hands a datagram to `to` if it may have it; otherwise it is lost.
void deliver(QueuePair &to, const Origin &origin, const Spans &message);

}  // namespace datagram
}  // namespace fabricsim
