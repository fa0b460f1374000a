// What ibv_create_cq_ex adds to a completion queue: a place in it, whose completion is read field by field (ibv_start_poll, ibv_next_poll).
#pragma once

#include <cstdint>
#include <mutex>

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class CompletionQueue;

// The fields that can be asked for: VB_IBV_WC_EX_….
constexpr uint64_t kReadableFields = VB_IBV_WC_EX_WITH_BYTE_LEN | VB_IBV_WC_EX_WITH_IMM | VB_IBV_WC_EX_WITH_QP_NUM | VB_IBV_WC_EX_WITH_SRC_QP |
                                     VB_IBV_WC_EX_WITH_SLID | VB_IBV_WC_EX_WITH_SL | VB_IBV_WC_EX_WITH_DLID_PATH_BITS |
                                     VB_IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;

// Time stamps count nanoseconds, of the clock that ibv_query_rt_values_ex reads.
uint64_t readStampClock();

struct CompletionCursor {
  std::mutex polling;  // from start_poll to end_poll
  vb_ibv_wc current = {};
  uint64_t stamp = 0;
};

// Gives `handle` its functions; of the reading ones those that `fields` asks for.
void setCursorFunctions(vb_ibv_cq_ex &handle, uint64_t fields);

}  // namespace fabricsim
