// A completion event channel: which completion queues have something new (ibv_create_comp_channel).
#pragma once

#include "hca/event-queue.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

struct CompletionChannel {
  vb_ibv_comp_channel handle;  // first member: of() relies on it. refcnt: its completion queues
  EventQueue events;

  static CompletionChannel &of(vb_ibv_comp_channel *channel) { return *reinterpret_cast<CompletionChannel *>(channel); }
};

}  // namespace fabricsim
