// Making completion queues and queue pairs, for the two interfaces that programs make them by. NULL and errno on failure.
#pragma once

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class CompletionQueue;
class QueuePair;

CompletionQueue *createCompletionQueue(vb_ibv_context *context, int64_t depth, void *userContext, vb_ibv_comp_channel *channel, int64_t vector);
QueuePair *createQueuePair(vb_ibv_pd *pd, const vb_ibv_qp_init_attr &attributes);

}  // namespace fabricsim
