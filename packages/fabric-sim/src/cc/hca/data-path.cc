#include "hca/data-path.h"

#include "hca/completion-queue.h"
#include "hca/loopback.h"
#include "hca/patience.h"
#include "hca/queue-pair.h"
#include "hca/shared-receive-queue.h"
#include "process.h"
#include "verbs-context.h"

namespace fabricsim {

namespace {

int pollQueue(vb_ibv_cq *cq, int count, vb_ibv_wc *out) {
  int found;
  {
    Lock lock = Process::get().lock();
    found = CompletionQueue::of(cq).poll(count, out);
  }
  patience::polled(found > 0);
  return found;
}

int armQueue(vb_ibv_cq *cq, int solicitedOnly) {
  Lock lock = Process::get().lock();
  CompletionQueue::of(cq).arm(solicitedOnly != 0);
  return 0;
}

int postSend(vb_ibv_qp *qp, vb_ibv_send_wr *list, vb_ibv_send_wr **bad) {
  Lock lock = Process::get().lock();
  return QueuePair::of(qp).postSend(list, bad);
}

int postReceive(vb_ibv_qp *qp, vb_ibv_recv_wr *list, vb_ibv_recv_wr **bad) {
  Lock lock = Process::get().lock();
  return QueuePair::of(qp).postReceive(list, bad);
}

int postSharedReceive(vb_ibv_srq *srq, vb_ibv_recv_wr *list, vb_ibv_recv_wr **bad) {
  Lock lock = Process::get().lock();
  SharedReceiveQueue &shared = SharedReceiveQueue::of(srq);
  bool wasEmpty = shared.queue().size() == 0;
  int error = 0;
  for (; list != nullptr && error == 0; list = list->next) {
    error = shared.queue().post(*list);
    if (error != 0 && bad != nullptr) *bad = list;
  }
  if (!wasEmpty) return error;
  for (const auto &[qpn, qp] : VerbsContext::of(srq->context).device().hca().queuePairs()) {
    if (qp->srq() == &shared) loopback::receiverReady(*qp);
  }
  return error;
}

enum class About { Nothing, Completions, Pair, Shared };

About about(int eventType) {
  switch (eventType) {
    case VB_IBV_EVENT_CQ_ERR:
      return About::Completions;
    case VB_IBV_EVENT_SRQ_ERR:
    case VB_IBV_EVENT_SRQ_LIMIT_REACHED:
      return About::Shared;
    case VB_IBV_EVENT_QP_FATAL:
    case VB_IBV_EVENT_QP_REQ_ERR:
    case VB_IBV_EVENT_QP_ACCESS_ERR:
    case VB_IBV_EVENT_COMM_EST:
    case VB_IBV_EVENT_SQ_DRAINED:
    case VB_IBV_EVENT_PATH_MIG:
    case VB_IBV_EVENT_PATH_MIG_ERR:
    case VB_IBV_EVENT_QP_LAST_WQE_REACHED:
      return About::Pair;
    default:
      return About::Nothing;
  }
}

}  // namespace

void setDataPath(vb_ibv_context_ops &ops) {
  ops.poll_cq = pollQueue;
  ops.req_notify_cq = armQueue;
  ops.post_send = postSend;
  ops.post_recv = postReceive;
  ops.post_srq_recv = postSharedReceive;
}

void countErrorTaken(int eventType, void *object) {
  switch (about(eventType)) {
    case About::Completions:
      ++CompletionQueue::of(static_cast<vb_ibv_cq *>(object)).errorsTaken;
      break;
    case About::Pair:
      ++QueuePair::of(static_cast<vb_ibv_qp *>(object)).errorsTaken;
      break;
    case About::Shared:
      ++SharedReceiveQueue::of(static_cast<vb_ibv_srq *>(object)).errorsTaken;
      break;
    case About::Nothing:
      break;
  }
}

void acknowledgeError(int eventType, void *object) {
  switch (about(eventType)) {
    case About::Completions:
      acknowledge(static_cast<vb_ibv_cq *>(object), &vb_ibv_cq::async_events_completed, 1);
      break;
    case About::Pair:
      acknowledge(static_cast<vb_ibv_qp *>(object), &vb_ibv_qp::events_completed, 1);
      break;
    case About::Shared:
      acknowledge(static_cast<vb_ibv_srq *>(object), &vb_ibv_srq::events_completed, 1);
      break;
    case About::Nothing:
      break;
  }
}

}  // namespace fabricsim
