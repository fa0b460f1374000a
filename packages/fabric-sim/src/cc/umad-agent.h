// A MAD agent of an open port: transaction ids, time-outs, retries and RMPP, as Linux' MAD layer does them below the umad interface.
// Every method is called with the process lock held.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "bytes.h"
#include "ib-packet.h"
#include "rmpp-receiver.h"
#include "rmpp-sender.h"
#include "timer-queue.h"
#include "verbena/ibumad-abi.h"

namespace fabricsim {

class UmadPort;

// What umad_register and its relatives ask for.
struct AgentRequest {
  uint8_t qpn = 1;
  uint8_t managementClass = 0;
  uint8_t classVersion = 0;
  uint8_t rmppVersion = 0;
  uint32_t oui = 0;
  uint64_t methods[2] = {0, 0};
  bool userRmpp = false;  // the program does RMPP itself and sees every segment
};

class UmadAgent {
 public:
  UmadAgent(UmadPort &port, uint32_t index, uint32_t id, const AgentRequest &request);
  ~UmadAgent();
  UmadAgent(const UmadAgent &) = delete;
  UmadAgent &operator=(const UmadAgent &) = delete;

  // High half of this agent's transaction ids.
  uint32_t id() const { return id_; }

  // What write() on the kernel's file does with header and MAD. 0 or a negative errno value.
  int send(const vb_ib_user_mad &head, ByteView mad);
  // A packet from the fabric; one that is no MAD for this agent's queue pair is dropped.
  void receivePacket(ByteView packet);

 private:
  // Something sent that waits: for an answer, or for its RMPP acknowledgement.
  struct Transaction {
    vb_ib_user_mad head;
    Bytes mad;
    uint32_t retriesLeft;
    std::unique_ptr<RmppSender> rmpp;
    TimerQueue::Handle timer;
  };
  using Transactions = std::list<Transaction>;

  bool doesRmpp() const { return request_.rmppVersion != 0 && !request_.userRmpp; }
  void transmit(const vb_ib_mad_addr &to, const uint8_t *mad);
  void startRmpp(Transaction &transaction);
  void arm(Transactions::iterator transaction);
  void onTimeout(Transactions::iterator transaction);
  void remove(Transactions::iterator transaction);
  Transactions::iterator find(const uint8_t *mad);
  bool isDuplicate(ByteView mad);
  void receive(const ReceivedMad &received);
  void receiveRmpp(const ReceivedMad &received);
  void onControl(const ReceivedMad &received);
  void onAck(Transactions::iterator transaction, const ReceivedMad &received);
  void dispatch(const ReceivedMad &received, Bytes mad);

  UmadPort &port_;
  const uint32_t index_;
  const uint32_t id_;
  const AgentRequest request_;
  Transactions transactions_;
  RmppReceiver receiver_;
};

}  // namespace fabricsim
