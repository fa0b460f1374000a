// What carries messages that do not stay in this process: to other HCAs, and to other processes on this one. The process lock is held in
// every call.
#pragma once

#include "hca/queue-pair.h"
#include "hca/spans.h"
#include "hca/work-request.h"

namespace fabricsim {

class Wire {
 public:
  virtual ~Wire() = default;
  // A datagram (also to a multicast group, whose members in this process have theirs). It is sent or lost; nothing is said of it.
  virtual void sendDatagram(QueuePair &from, const SendRequest &request, const Spans &message) = 0;
  // A connected queue pair has sends waiting (QueuePair::sends()), and its peer is not in this process. Called again whenever something
  // about them may have changed. Sends are ended, oldest first, by QueuePair::finishSend.
  virtual void advance(QueuePair &from) = 0;
  // The queue pair has left the states in which it sends or receives; whatever is known of its connection is void.
  virtual void forget(QueuePair &qp) = 0;
};

// As if the cable were out: datagrams vanish, and nobody answers.
class NoWire final : public Wire {
 public:
  void sendDatagram(QueuePair &, const SendRequest &, const Spans &) override {}
  void advance(QueuePair &from) override { from.awaitAnswer(); }
  void forget(QueuePair &) override {}
};

}  // namespace fabricsim
