#include "hca/creation.h"

#include <cerrno>
#include <memory>

#include "hca/completion-queue.h"
#include "hca/hca.h"
#include "hca/queue-pair.h"
#include "hca/shared-receive-queue.h"
#include "none.h"
#include "process.h"
#include "verbs-context.h"

namespace fabricsim {

namespace {

bool isPossible(const vb_ibv_qp_init_attr &attributes) {
  const vb_ibv_qp_cap &cap = attributes.cap;
  bool isKnown = attributes.qp_type == VB_IBV_QPT_RC || attributes.qp_type == VB_IBV_QPT_UC || attributes.qp_type == VB_IBV_QPT_UD;
  return isKnown && attributes.send_cq != nullptr && attributes.recv_cq != nullptr && cap.max_send_wr <= HcaLimits::kWorkRequests &&
         cap.max_recv_wr <= HcaLimits::kWorkRequests && cap.max_send_sge <= HcaLimits::kSges && cap.max_recv_sge <= HcaLimits::kSges &&
         cap.max_inline_data <= HcaLimits::kInline;
}

}  // namespace

CompletionQueue *createCompletionQueue(vb_ibv_context *context, int64_t depth, void *userContext, vb_ibv_comp_channel *channel,
                                       int64_t vector) {
  if (depth < 1 || depth > HcaLimits::kCompletions || vector < 0 || vector >= context->num_comp_vectors) return none<CompletionQueue>(EINVAL);
  Lock lock = Process::get().lock();
  VerbsContext &owner = VerbsContext::of(context);
  ++owner.users;
  return new CompletionQueue(owner, owner.device().hca(), channel, userContext, static_cast<uint32_t>(depth));
}

QueuePair *createQueuePair(vb_ibv_pd *pd, const vb_ibv_qp_init_attr &attributes) {
  if (!isPossible(attributes)) return none<QueuePair>(EINVAL);
  Lock lock = Process::get().lock();
  VerbsContext &context = VerbsContext::of(pd->context);
  Hca &hca = context.device().hca();
  if (hca.queuePairs().size() >= HcaLimits::kQueuePairs) return none<QueuePair>(ENOMEM);
  auto qp = std::make_unique<QueuePair>(QueuePair::Setup{
      context,
      hca,
      ProtectionDomain::of(pd),
      CompletionQueue::of(attributes.send_cq),
      CompletionQueue::of(attributes.recv_cq),
      attributes.srq == nullptr ? nullptr : &SharedReceiveQueue::of(attributes.srq),
      attributes.cap,
      attributes.qp_type,
      attributes.sq_sig_all != 0,
      attributes.qp_context,
  });
  if (hca.addQueuePair(lock, *qp) == 0) return none<QueuePair>(context.device().client().isLost() ? EIO : ENOMEM);
  return qp.release();
}

}  // namespace fabricsim
