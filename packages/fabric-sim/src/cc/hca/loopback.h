// Messages between queue pairs of one HCA in one process: moved at once, as a whole, in the call that posts them. The same rules hold as on
// the wire (IBA 9.6 to 9.8), without packets.
#pragma once

#include "hca/work-request.h"

namespace fabricsim {

class QueuePair;

namespace loopback {

enum class Outcome {
  Done,        // completed, well or not
  NoReceiver,  // the peer has no receive posted
  NoAnswer,    // the peer does not take part: it would not answer
  NoRoom,      // the wire takes nothing now
};

// The other end of a connected queue pair if this process has it; NULL: ask the wire.
QueuePair *peerOf(const QueuePair &qp);

// `peer`: of a connected queue pair; datagrams find their own way.
Outcome send(QueuePair &from, const SendRequest &request, QueuePair *peer);

// Whether two P_Keys let their holders talk: the same partition, and one of them a full member (IBA 10.9.3).
bool mayTalk(uint16_t a, uint16_t b);

// A receive was posted where none was: whoever waits for it goes on.
void receiverReady(QueuePair &receiver);

}  // namespace loopback
}  // namespace fabricsim
