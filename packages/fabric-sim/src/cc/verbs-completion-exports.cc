// libibverbs: completion event channels and completion queues.
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "export.h"
#include "hca/completion-channel.h"
#include "hca/completion-queue.h"
#include "hca/creation.h"
#include "hca/data-path.h"
#include "hca/hca.h"
#include "none.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

// FABRICSIM_CHANNEL_ERRNO: the errno value with which every creation fails, so that programs can be tested with it.
FABRICSIM_EXPORT vb_ibv_comp_channel *ibv_create_comp_channel(vb_ibv_context *context) {
  if (const char *wanted = getenv("FABRICSIM_CHANNEL_ERRNO")) {
    errno = atoi(wanted);
    if (errno > 0) return nullptr;
  }
  auto channel = std::make_unique<CompletionChannel>();
  if (channel->events.fd() < 0) return nullptr;
  Lock lock = Process::get().lock();
  VerbsContext &owner = VerbsContext::of(context);
  // It would never hang up: that is over.
  if (owner.device().client().isLost()) return none<vb_ibv_comp_channel>(EIO);
  channel->handle = {context, channel->events.fd(), 0};
  owner.addChannel(*channel);
  ++owner.users;
  return &channel.release()->handle;
}

FABRICSIM_EXPORT int ibv_destroy_comp_channel(vb_ibv_comp_channel *channel) {
  Lock lock = Process::get().lock();
  if (channel->refcnt > 0) return EBUSY;
  VerbsContext &context = VerbsContext::of(channel->context);
  context.removeChannel(CompletionChannel::of(channel));
  delete &CompletionChannel::of(channel);
  context.release();
  return 0;
}

FABRICSIM_EXPORT int ibv_get_cq_event(vb_ibv_comp_channel *channel, vb_ibv_cq **cq, void **userContext) {
  return CompletionChannel::of(channel).events.take([&](const Event &event) {
    *cq = static_cast<vb_ibv_cq *>(event.object);
    *userContext = (*cq)->cq_context;
    CompletionQueue::of(*cq).eventRead();
  });
}

FABRICSIM_EXPORT void ibv_ack_cq_events(vb_ibv_cq *cq, unsigned count) {
  if (count > 0) acknowledge(cq, &vb_ibv_cq::comp_events_completed, count);
}

FABRICSIM_EXPORT vb_ibv_cq *ibv_create_cq(vb_ibv_context *context, int depth, void *userContext, vb_ibv_comp_channel *channel,
                                          int vector) {
  CompletionQueue *queue = createCompletionQueue(context, depth, userContext, channel, vector);
  return queue == nullptr ? nullptr : queue->handle();
}

FABRICSIM_EXPORT int ibv_resize_cq(vb_ibv_cq *cq, int depth) {
  if (depth < 1 || static_cast<uint32_t>(depth) > HcaLimits::kCompletions) return EINVAL;
  Lock lock = Process::get().lock();
  return CompletionQueue::of(cq).resize(static_cast<uint32_t>(depth)) ? 0 : EINVAL;
}

// Returns when the program has acknowledged every event that it took.
FABRICSIM_EXPORT int ibv_destroy_cq(vb_ibv_cq *cq) {
  CompletionQueue &queue = CompletionQueue::of(cq);
  uint32_t eventsTaken;
  uint32_t errorsTaken;
  {
    Lock lock = Process::get().lock();
    if (queue.users > 0) return EBUSY;
    if (cq->channel != nullptr) CompletionChannel::of(cq->channel).events.forget(cq);
    VerbsContext::of(cq->context).forgetEvents(cq);
    eventsTaken = queue.eventsTaken;
    errorsTaken = queue.errorsTaken;
  }
  awaitAcknowledged(cq, &vb_ibv_cq::comp_events_completed, eventsTaken);
  awaitAcknowledged(cq, &vb_ibv_cq::async_events_completed, errorsTaken);
  Lock lock = Process::get().lock();
  VerbsContext &context = VerbsContext::of(cq->context);
  delete &queue;
  context.release();
  return 0;
}
