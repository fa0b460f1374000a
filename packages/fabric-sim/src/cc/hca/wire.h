// What carries messages that do not stay in this process: to other HCAs, and to other processes on this one. The process lock is held in
// every call.
#pragma once

#include "bytes.h"
#include "hca/queue-pair.h"
#include "hca/spans.h"
#include "hca/work-request.h"

namespace fabricsim {

// Why a queue pair dropped a packet that the port's counters tell of (IBA 14.2.5.6).
enum class Violation { Pkey, Qkey };

class Wire {
 public:
  virtual ~Wire() = default;

  // False while so much waits to be sent that more should wait in the send queues.
  virtual bool hasRoom() const = 0;
  // QueuePair::resume() is called when there is room again.
  virtual void awaitRoom(QueuePair &qp) = 0;
  // A datagram (also to a multicast group, whose members in this process have theirs). It is sent or lost; nothing is said of it.
  virtual void sendDatagram(QueuePair &from, const SendRequest &request, const Spans &message) = 0;
  // A connected queue pair has sends waiting (QueuePair::sends()), and its peer is not in this process. Called again whenever something
  // about them may have changed. Sends are ended, oldest first, by QueuePair::finishSend.
  virtual void advance(QueuePair &from) = 0;
  // The queue pair has left the states in which it sends or receives; whatever is known of its connection is void.
  virtual void forget(QueuePair &qp) = 0;
  // What was sent since the last call goes out at once, together; those that wait for room have their turn. At the end of every call of a program that may have sent something.
  virtual void push() = 0;
  virtual void tellViolation(const QueuePair &at, Violation what) = 0;

  // For the progress thread: a packet came to a port; all that came with it have been told; there is room again.
  virtual void receive(uint8_t portNumber, ByteView packet) = 0;
  virtual void received() = 0;
  virtual void roomAgain() = 0;
};

}  // namespace fabricsim
