#include "hca/shared-receive-queue.h"

#include "verbs-context.h"

namespace fabricsim {

SharedReceiveQueue::SharedReceiveQueue(VerbsContext &context, vb_ibv_pd *pd, void *userContext, uint32_t capacity, uint32_t maxSges)
    : handle_{}, context_(context), queue_(capacity, maxSges) {
  handle_.context = context.handle();
  handle_.srq_context = userContext;
  handle_.pd = pd;
  pthread_mutex_init(&handle_.mutex, nullptr);
  pthread_cond_init(&handle_.cond, nullptr);
}

SharedReceiveQueue::~SharedReceiveQueue() {
  pthread_cond_destroy(&handle_.cond);
  pthread_mutex_destroy(&handle_.mutex);
}

bool SharedReceiveQueue::take(ReceiveRequest &out) {
  if (!queue_.take(out)) return false;
  if (limit_ != 0 && queue_.size() < limit_) {
    limit_ = 0;
    context_.pushObjectEvent(VB_IBV_EVENT_SRQ_LIMIT_REACHED, &handle_);
  }
  return true;
}

}  // namespace fabricsim
