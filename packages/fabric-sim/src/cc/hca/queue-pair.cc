#include "hca/queue-pair.h"

#include <algorithm>
#include <cerrno>

#include "hca/loopback.h"
#include "hca/wire.h"
#include "verbs-context.h"
#include "wire/transport-timing.h"

namespace fabricsim {

namespace {

constexpr uint8_t kForeverRetry = 7;

bool isOpcodeOf(int type, int opcode) {
  switch (opcode) {
    case VB_IBV_WR_SEND:
    case VB_IBV_WR_SEND_WITH_IMM:
      return true;
    case VB_IBV_WR_RDMA_WRITE:
    case VB_IBV_WR_RDMA_WRITE_WITH_IMM:
      return type != VB_IBV_QPT_UD;
    case VB_IBV_WR_RDMA_READ:
    case VB_IBV_WR_ATOMIC_CMP_AND_SWP:
    case VB_IBV_WR_ATOMIC_FETCH_AND_ADD:
      return type == VB_IBV_QPT_RC;
    default:
      return false;
  }
}

}  // namespace

int completionOpcode(int workRequestOpcode) {
  switch (workRequestOpcode) {
    case VB_IBV_WR_RDMA_WRITE:
    case VB_IBV_WR_RDMA_WRITE_WITH_IMM:
      return VB_IBV_WC_RDMA_WRITE;
    case VB_IBV_WR_RDMA_READ:
      return VB_IBV_WC_RDMA_READ;
    case VB_IBV_WR_ATOMIC_CMP_AND_SWP:
      return VB_IBV_WC_COMP_SWAP;
    case VB_IBV_WR_ATOMIC_FETCH_AND_ADD:
      return VB_IBV_WC_FETCH_ADD;
    default:
      return VB_IBV_WC_SEND;
  }
}

QueuePair::QueuePair(const Setup &setup)
    : extended_{},
      context_(setup.context),
      hca_(setup.hca),
      sendCq_(setup.sendCq),
      receiveCq_(setup.receiveCq),
      srq_(setup.srq),
      cap_(setup.cap),
      signalsAll_(setup.signalsAll),
      attributes_{},
      sends_(std::max(setup.cap.max_send_wr, 1u), setup.cap.max_send_sge, setup.cap.max_inline_data),
      receives_(setup.srq != nullptr ? 0 : setup.cap.max_recv_wr, setup.srq != nullptr ? 0 : setup.cap.max_recv_sge) {
  handle_.context = setup.context.handle();
  handle_.qp_context = setup.userContext;
  handle_.pd = &setup.pd.handle;
  handle_.send_cq = setup.sendCq.handle();
  handle_.recv_cq = setup.receiveCq.handle();
  handle_.srq = setup.srq != nullptr ? setup.srq->handle() : nullptr;
  handle_.qp_type = setup.type;
  handle_.state = VB_IBV_QPS_RESET;
  pthread_mutex_init(&handle_.mutex, nullptr);
  pthread_cond_init(&handle_.cond, nullptr);
  ++setup.pd.users;
  ++sendCq_.users;
  ++receiveCq_.users;
  if (srq_ != nullptr) ++srq_->users;
}

QueuePair::~QueuePair() {
  enter(VB_IBV_QPS_RESET);
  if (srq_ != nullptr) --srq_->users;
  --receiveCq_.users;
  --sendCq_.users;
  --ProtectionDomain::of(handle_.pd).users;
  pthread_cond_destroy(&handle_.cond);
  pthread_mutex_destroy(&handle_.mutex);
}

uint16_t QueuePair::pkey() const {
  const PortState *port = hca_.port(attributes_.port_num);
  return port != nullptr && attributes_.pkey_index < port->pkeys.size() ? port->pkeys[attributes_.pkey_index] : 0;
}

int QueuePair::check(const vb_ibv_send_wr &request) const {
  if (!isOpcodeOf(type(), request.opcode)) return EINVAL;
  if (request.num_sge < 0 || static_cast<uint32_t>(request.num_sge) > cap_.max_send_sge) return EINVAL;
  if (type() == VB_IBV_QPT_UD && request.wr.ud.ah == nullptr) return EINVAL;
  uint64_t length = 0;
  for (int i = 0; i < request.num_sge; ++i) length += request.sg_list[i].length;
  if ((request.send_flags & VB_IBV_SEND_INLINE) != 0) {
    bool canInline = request.opcode != VB_IBV_WR_RDMA_READ && request.opcode < VB_IBV_WR_ATOMIC_CMP_AND_SWP;
    if (!canInline || length > cap_.max_inline_data) return EINVAL;
  }
  return 0;
}

SendRequest QueuePair::view(const vb_ibv_send_wr &request) const {
  SendRequest out;
  out.wrId = request.wr_id;
  out.opcode = request.opcode;
  out.flags = request.send_flags | (signalsAll_ ? static_cast<unsigned>(VB_IBV_SEND_SIGNALED) : 0u);
  out.immediate = request.be_imm_data;
  out.sges = request.sg_list;
  out.sgeCount = request.num_sge;
  for (int i = 0; i < request.num_sge; ++i) out.length += request.sg_list[i].length;
  if (type() == VB_IBV_QPT_UD) {
    out.to = &AddressHandle::of(request.wr.ud.ah).vector;
    out.remoteQpn = request.wr.ud.remote_qpn;
    out.remoteQkey = request.wr.ud.remote_qkey;
  } else if (out.isAtomic()) {
    out.remoteAddress = request.wr.atomic.remote_addr;
    out.rkey = request.wr.atomic.rkey;
    out.compareAdd = request.wr.atomic.compare_add;
    out.swap = request.wr.atomic.swap;
  } else {
    out.remoteAddress = request.wr.rdma.remote_addr;
    out.rkey = request.wr.rdma.rkey;
  }
  return out;
}

int QueuePair::admit(const vb_ibv_send_wr &request, uint32_t ahead) const {
  if (int error = check(request)) return error;
  if (state() == VB_IBV_QPS_RESET || state() == VB_IBV_QPS_INIT || state() == VB_IBV_QPS_RTR) return EINVAL;
  return sends_.size() + ahead >= cap_.max_send_wr ? ENOMEM : 0;
}

void QueuePair::extend(uint64_t operations) {
  batch_ = std::make_unique<SendBatch>();
  setBatchFunctions(extended_, operations);
}

int QueuePair::postSend(vb_ibv_send_wr *list, vb_ibv_send_wr **bad) {
  int error = 0;
  for (; list != nullptr; list = list->next) {
    error = admit(*list);
    if (error != 0) {
      if (bad != nullptr) *bad = list;
      break;
    }
    post(view(*list));
  }
  hca_.wire().push();
  return error;
}

void QueuePair::post(const SendRequest &request) {
  if (state() == VB_IBV_QPS_ERR || state() == VB_IBV_QPS_SQE) {
    completeSend(request, VB_IBV_WC_WR_FLUSH_ERR);
    return;
  }
  bool isNext = sends_.isEmpty() && state() == VB_IBV_QPS_RTS;
  QueuePair *peer = isConnected() ? loopback::peerOf(*this) : nullptr;
  bool isLocal = !isConnected() || peer != nullptr;
  // Straight from the program's list where nothing stands in its way.
  loopback::Outcome outcome = loopback::Outcome::NoAnswer;
  if (isNext && isLocal) {
    outcome = loopback::send(*this, request, peer);
    if (outcome == loopback::Outcome::Done) return;
  }
  sends_.push(request);
  if (!isLocal) {
    if (waiting_ == Waiting::Nothing && mayRun()) hca_.wire().advance(*this);
  } else if (isNext) {
    wait(outcome, peer);
  }
}

void QueuePair::advance() {
  while (!sends_.isEmpty() && mayRun() && waiting_ == Waiting::Nothing) {
    QueuePair *peer = isConnected() ? loopback::peerOf(*this) : nullptr;
    if (isConnected() && peer == nullptr) {
      hca_.wire().advance(*this);
      return;
    }
    // Out of the queue first: a failure flushes what is in it.
    SendRequest request = sends_.front();
    sends_.pop();
    loopback::Outcome outcome = loopback::send(*this, request, peer);
    if (outcome == loopback::Outcome::Done) {
      popped();
      continue;
    }
    sends_.unpop();
    wait(outcome, peer);
  }
}

void QueuePair::wait(loopback::Outcome outcome, const QueuePair *peer) {
  if (outcome == loopback::Outcome::NoReceiver && peer != nullptr) {
    awaitReceiver(peer->attributes().min_rnr_timer);
  } else if (outcome == loopback::Outcome::NoRoom) {
    retry(Waiting::Room);
    hca_.wire().awaitRoom(*this);
  } else {
    awaitAnswer();
  }
}

void QueuePair::popped() {
  if (state() != VB_IBV_QPS_SQD || draining_ == 0 || --draining_ > 0) return;
  if (attributes_.en_sqd_async_notify != 0) event(VB_IBV_EVENT_SQ_DRAINED);
}

void QueuePair::finishSend(int status, uint32_t byteLength) {
  SendRequest request = sends_.front();
  sends_.pop();
  popped();
  completeSend(request, status, byteLength);
}

void QueuePair::completeSend(const SendRequest &request, int status, uint32_t byteLength) {
  if (status != VB_IBV_WC_SUCCESS || request.isSignaled()) {
    vb_ibv_wc completion = {};
    completion.wr_id = request.wrId;
    completion.status = status;
    completion.opcode = completionOpcode(request.opcode);
    completion.byte_len = byteLength;
    completion.qp_num = qpn();
    sendCq_.push(completion, false);
  }
  if (status == VB_IBV_WC_SUCCESS || status == VB_IBV_WC_WR_FLUSH_ERR) return;
  if (isReliable()) {
    fail(-1);
  } else if (state() == VB_IBV_QPS_RTS) {
    handle_.state = VB_IBV_QPS_SQE;
    flushSends();
  }
}

void QueuePair::awaitReceiver(uint8_t timerCode) {
  if (attributes_.rnr_retry != kForeverRetry) {
    if (receiverTriesLeft_ == 0) {
      finishSend(VB_IBV_WC_RNR_RETRY_EXC_ERR);
      return;
    }
    --receiverTriesLeft_;
  }
  retry(Waiting::Receiver);
  timer_ = Process::get().timers().arm(Clock::now() + receiverNotReadyTime(timerCode), [this] {
    resume();
  });
  Process::get().timersChanged();
}

void QueuePair::awaitAnswer() {
  if (!isReliable()) {
    // Nobody promises an unreliable connection anything: what does not arrive is gone.
    finishSend(VB_IBV_WC_SUCCESS);
    return;
  }
  retry(Waiting::Answer);
  if (attributes_.timeout == 0) return;  // for ever
  timer_ = Process::get().timers().arm(Clock::now() + acknowledgeTime(attributes_.timeout), [this] {
    timer_ = {};
    waiting_ = Waiting::Nothing;
    if (triesLeft_ == 0) {
      finishSend(VB_IBV_WC_RETRY_EXC_ERR);
      return;
    }
    --triesLeft_;
    advance();
  });
  Process::get().timersChanged();
}

void QueuePair::retry(Waiting what) {
  stopWaiting();
  waiting_ = what;
}

void QueuePair::stopWaiting() {
  Process::get().timers().cancel(timer_);
  waiting_ = Waiting::Nothing;
}

void QueuePair::progressed() {
  triesLeft_ = attributes_.retry_cnt;
  receiverTriesLeft_ = attributes_.rnr_retry;
}

int QueuePair::postReceive(vb_ibv_recv_wr *list, vb_ibv_recv_wr **bad) {
  bool isFirst = srq_ == nullptr && receives_.size() == 0;
  for (; list != nullptr; list = list->next) {
    int error = srq_ != nullptr || state() == VB_IBV_QPS_RESET ? EINVAL : receives_.post(*list);
    if (error != 0) {
      if (bad != nullptr) *bad = list;
      return error;
    }
  }
  if (state() == VB_IBV_QPS_ERR) flushReceives();
  if (isFirst) loopback::receiverReady(*this);
  return 0;
}

bool QueuePair::takeReceive(ReceiveRequest &out) { return srq_ != nullptr ? srq_->take(out) : receives_.take(out); }

void QueuePair::completeReceive(vb_ibv_wc completion, bool isSolicited) {
  completion.qp_num = qpn();
  receiveCq_.push(completion, isSolicited);
}

void QueuePair::failReceive(uint64_t wrId, int status) {
  vb_ibv_wc completion = {};
  completion.wr_id = wrId;
  completion.status = status;
  completion.opcode = VB_IBV_WC_RECV;
  completeReceive(completion, false);
}

void QueuePair::established() {
  if (isEstablished_ || state() != VB_IBV_QPS_RTR) return;
  isEstablished_ = true;
  event(VB_IBV_EVENT_COMM_EST);
}

void QueuePair::fail(int type) {
  if (state() == VB_IBV_QPS_ERR || state() == VB_IBV_QPS_RESET) return;
  if (type >= 0) event(type);
  enter(VB_IBV_QPS_ERR);
}

void QueuePair::event(int type) { context_.pushObjectEvent(type, &handle_); }

}  // namespace fabricsim
