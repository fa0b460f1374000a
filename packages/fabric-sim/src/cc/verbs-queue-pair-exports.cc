// libibverbs: queue pairs and shared receive queues.
#include <cerrno>

#include "export.h"
#include "hca/creation.h"
#include "hca/data-path.h"
#include "hca/hca.h"
#include "hca/queue-pair.h"
#include "hca/shared-receive-queue.h"
#include "none.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

FABRICSIM_EXPORT vb_ibv_qp *ibv_create_qp(vb_ibv_pd *pd, vb_ibv_qp_init_attr *attributes) {
  QueuePair *pair = createQueuePair(pd, *attributes);
  return pair == nullptr ? nullptr : pair->handle();
}

// NULL for one that was not created to have its sends built by calls.
FABRICSIM_EXPORT vb_ibv_qp_ex *ibv_qp_to_qp_ex(vb_ibv_qp *qp) { return QueuePair::of(qp).extendedHandle(); }

FABRICSIM_EXPORT int ibv_modify_qp(vb_ibv_qp *qp, vb_ibv_qp_attr *attributes, int mask) {
  Lock lock = Process::get().lock();
  return QueuePair::of(qp).modify(*attributes, mask);
}

FABRICSIM_EXPORT int ibv_query_qp(vb_ibv_qp *qp, vb_ibv_qp_attr *attributes, int, vb_ibv_qp_init_attr *init) {
  Lock lock = Process::get().lock();
  QueuePair::of(qp).query(*attributes, *init);
  return 0;
}

// Returns when the program has acknowledged every asynchronous event of it that it took.
FABRICSIM_EXPORT int ibv_destroy_qp(vb_ibv_qp *qp) {
  QueuePair &pair = QueuePair::of(qp);
  uint32_t taken;
  {
    Lock lock = Process::get().lock();
    if (pair.groupCount > 0) return EBUSY;
    pair.hca().removeQueuePair(pair);
    pair.stop();
    // Its last packets, acknowledgements among them, are the fabric's when this returns: the program may end now.
    pair.hca().device().client().settle(lock);
    VerbsContext::of(qp->context).forgetEvents(qp);
    taken = pair.errorsTaken;
  }
  awaitAcknowledged(qp, &vb_ibv_qp::events_completed, taken);
  Lock lock = Process::get().lock();
  delete &pair;
  return 0;
}

FABRICSIM_EXPORT vb_ibv_srq *ibv_create_srq(vb_ibv_pd *pd, vb_ibv_srq_init_attr *attributes) {
  const vb_ibv_srq_attr &wanted = attributes->attr;
  if (wanted.max_wr == 0 || wanted.max_wr > HcaLimits::kWorkRequests || wanted.max_sge > HcaLimits::kSges) {
    return none<vb_ibv_srq>(EINVAL);
  }
  Lock lock = Process::get().lock();
  ++ProtectionDomain::of(pd).users;
  return (new SharedReceiveQueue(VerbsContext::of(pd->context), pd, attributes->srq_context, wanted.max_wr, wanted.max_sge))->handle();
}

FABRICSIM_EXPORT int ibv_modify_srq(vb_ibv_srq *srq, vb_ibv_srq_attr *attributes, int mask) {
  Lock lock = Process::get().lock();
  SharedReceiveQueue &shared = SharedReceiveQueue::of(srq);
  if ((mask & ~(VB_IBV_SRQ_MAX_WR | VB_IBV_SRQ_LIMIT)) != 0) return EINVAL;
  if ((mask & VB_IBV_SRQ_MAX_WR) != 0) {
    if (attributes->max_wr == 0 || attributes->max_wr > HcaLimits::kWorkRequests) return EINVAL;
    if (!shared.queue().resize(attributes->max_wr)) return EINVAL;
  }
  if ((mask & VB_IBV_SRQ_LIMIT) != 0) {
    if (attributes->srq_limit > shared.queue().capacity()) return EINVAL;
    shared.setLimit(attributes->srq_limit);
  }
  return 0;
}

FABRICSIM_EXPORT int ibv_query_srq(vb_ibv_srq *srq, vb_ibv_srq_attr *attributes) {
  Lock lock = Process::get().lock();
  SharedReceiveQueue &shared = SharedReceiveQueue::of(srq);
  *attributes = {shared.queue().capacity(), shared.queue().maxSges(), shared.limit()};
  return 0;
}

FABRICSIM_EXPORT int ibv_destroy_srq(vb_ibv_srq *srq) {
  SharedReceiveQueue &shared = SharedReceiveQueue::of(srq);
  uint32_t taken;
  {
    Lock lock = Process::get().lock();
    if (shared.users > 0) return EBUSY;
    VerbsContext::of(srq->context).forgetEvents(srq);
    taken = shared.errorsTaken;
  }
  awaitAcknowledged(srq, &vb_ibv_srq::events_completed, taken);
  Lock lock = Process::get().lock();
  --ProtectionDomain::of(srq->pd).users;
  delete &shared;
  return 0;
}
