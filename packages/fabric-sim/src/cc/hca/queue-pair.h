// A queue pair: its state, its attributes, what waits in its queues (IBA 10.2.4, 10.3). How messages move is in loopback.cc and wire.h.
#pragma once

#include <cstdint>
#include <memory>

#include "hca/address-handle.h"
#include "hca/completion-queue.h"
#include "hca/hca.h"
#include "hca/loopback.h"
#include "hca/send-batch.h"
#include "hca/send-queue.h"
#include "hca/shared-receive-queue.h"
#include "timer-queue.h"

namespace fabricsim {

// What a queue pair waits for with its oldest send.
enum class Waiting { Nothing, Receiver, Answer, Room };

class QueuePair {
  // First member: of() relies on it. The second view is what programs of the extended interface hold.
  union {
    vb_ibv_qp handle_;
    vb_ibv_qp_ex extended_;
  };

 public:
  struct Setup {
    VerbsContext &context;
    Hca &hca;
    ProtectionDomain &pd;
    CompletionQueue &sendCq;
    CompletionQueue &receiveCq;
    SharedReceiveQueue *srq;
    vb_ibv_qp_cap cap;
    int type;
    bool signalsAll;
    void *userContext;
  };
  explicit QueuePair(const Setup &setup);
  ~QueuePair();
  QueuePair(const QueuePair &) = delete;
  QueuePair &operator=(const QueuePair &) = delete;

  static QueuePair &of(vb_ibv_qp *qp) { return *reinterpret_cast<QueuePair *>(qp); }
  vb_ibv_qp *handle() { return &handle_; }
  Hca &hca() const { return hca_; }
  const VerbsContext &context() const { return context_; }
  uint32_t qpn() const { return handle_.qp_num; }
  void setQpn(uint32_t qpn) { handle_.qp_num = handle_.handle = qpn; }
  int type() const { return handle_.qp_type; }
  int state() const { return handle_.state; }
  const vb_ibv_pd *pd() const { return handle_.pd; }
  bool isConnected() const { return type() != VB_IBV_QPT_UD; }
  bool isReliable() const { return type() == VB_IBV_QPT_RC; }
  bool usesQueue(const CompletionQueue &queue) const { return &sendCq_ == &queue || &receiveCq_ == &queue; }
  SharedReceiveQueue *srq() const { return srq_; }

  // Attributes as modify() set them. The states they belong to: IBA table 91.
  const vb_ibv_qp_attr &attributes() const { return attributes_; }
  const AddressVector &path() const { return path_; }
  bool signalsAll() const { return signalsAll_; }
  // Of the P_Key at this queue pair's index; 0 if the table has none there.
  uint16_t pkey() const;
  bool canReceive() const { return state() == VB_IBV_QPS_RTR || state() == VB_IBV_QPS_RTS || state() == VB_IBV_QPS_SQD || state() == VB_IBV_QPS_SQE; }

  // Lets programs build sends by calls: the kinds in `operations` (VB_IBV_QP_EX_WITH_…).
  void extend(uint64_t operations);
  // Of a queue pair that was extended; NULL for others.
  SendBatch *batch() { return batch_.get(); }
  vb_ibv_qp_ex *extendedHandle() { return batch_ == nullptr ? nullptr : &extended_; }

  // 0, or the errno value with which a send is refused that `ahead` others are posted before.
  int admit(const vb_ibv_send_wr &request, uint32_t ahead = 0) const;
  // 0 or an errno value; `bad` is the first request that was not taken.
  int postSend(vb_ibv_send_wr *list, vb_ibv_send_wr **bad);
  int postReceive(vb_ibv_recv_wr *list, vb_ibv_recv_wr **bad);
  int modify(const vb_ibv_qp_attr &attributes, int mask);
  void query(vb_ibv_qp_attr &attributes, vb_ibv_qp_init_attr &init) const;

  SendQueue &sends() { return sends_; }
  // How many of them may be worked on, from the oldest; beyond them are those posted in state SQD.
  uint32_t runnable() const { return state() == VB_IBV_QPS_RTS ? sends_.size() : state() == VB_IBV_QPS_SQD ? draining_ : 0; }
  // Works off waiting sends as far as that goes now.
  void advance();
  // Ends the oldest waiting send.
  void finishSend(int status, uint32_t byteLength = 0);
  // The completion of a send, if it makes one. A failure stops the queue as the type wants it.
  void completeSend(const SendRequest &request, int status, uint32_t byteLength = 0);
  // The other end has no receive posted: wait for its time, or for one that is posted in this process.
  void awaitReceiver(uint8_t timerCode);
  // No answer came, or none will: wait, count, and give up in the end.
  void awaitAnswer();
  Waiting waiting() const { return waiting_; }
  // What it waits for is there: go on before the time is over.
  void resume() {
    stopWaiting();
    advance();
  }
  // Something got through: retries count anew.
  void progressed();

  bool takeReceive(ReceiveRequest &out);
  // `completion` has everything but what is the same for all of this queue pair.
  void completeReceive(vb_ibv_wc completion, bool isSolicited);
  void failReceive(uint64_t wrId, int status);
  // A first message in state RTR.
  void established();

  // Back to where it began; nothing that is in its queues completes.
  void stop() { enter(VB_IBV_QPS_RESET); }
  // To the error state: flushes, and tells the program if `event` is not negative.
  void fail(int event);
  void event(int type);

  uint32_t errorsTaken = 0;   // handed out by ibv_get_async_event
  uint32_t groupCount = 0;    // multicast groups it is attached to

 private:
  int check(const vb_ibv_send_wr &request) const;
  SendRequest view(const vb_ibv_send_wr &request) const;
  void post(const SendRequest &request);
  bool mayRun() const { return state() == VB_IBV_QPS_RTS || (state() == VB_IBV_QPS_SQD && draining_ > 0); }
  void wait(loopback::Outcome outcome, const QueuePair *peer);
  void popped();
  void enter(int state);
  void flushSends();
  void flushReceives();
  void stopWaiting();
  void retry(Waiting what);

  VerbsContext &context_;
  Hca &hca_;
  CompletionQueue &sendCq_;
  CompletionQueue &receiveCq_;
  SharedReceiveQueue *srq_;
  vb_ibv_qp_cap cap_;
  bool signalsAll_;
  vb_ibv_qp_attr attributes_;
  AddressVector path_;
  SendQueue sends_;
  std::unique_ptr<SendBatch> batch_;
  ReceiveQueue receives_;
  Waiting waiting_ = Waiting::Nothing;
  uint32_t triesLeft_ = 0;
  uint32_t receiverTriesLeft_ = 0;
  uint32_t draining_ = 0;  // in state SQD: waiting sends that were posted before it
  bool isEstablished_ = false;
  TimerQueue::Handle timer_ = {};
};

}  // namespace fabricsim
