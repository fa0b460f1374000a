// One send as the data path sees it, whether it still lies in the program's list or waits in a send queue.
#pragma once

#include <cstdint>

#include "hca/address-handle.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

struct SendRequest {
  uint64_t wrId = 0;
  int opcode = VB_IBV_WR_SEND;
  unsigned flags = 0;
  uint32_t immediate = 0;           // as given: network order by convention
  const vb_ibv_sge *sges = nullptr;
  int sgeCount = 0;
  const uint8_t *inlined = nullptr; // the message itself, if it was copied when it was posted
  uint64_t length = 0;              // of the message
  uint64_t remoteAddress = 0;       // RDMA and atomics
  uint32_t rkey = 0;
  uint64_t compareAdd = 0;
  uint64_t swap = 0;
  const AddressVector *to = nullptr; // UD
  uint32_t remoteQpn = 0;
  uint32_t remoteQkey = 0;

  bool isSignaled() const { return (flags & VB_IBV_SEND_SIGNALED) != 0; }
  bool isSolicited() const { return (flags & VB_IBV_SEND_SOLICITED) != 0; }
  bool hasImmediate() const { return opcode == VB_IBV_WR_SEND_WITH_IMM || opcode == VB_IBV_WR_RDMA_WRITE_WITH_IMM; }
  bool isAtomic() const { return opcode == VB_IBV_WR_ATOMIC_CMP_AND_SWP || opcode == VB_IBV_WR_ATOMIC_FETCH_AND_ADD; }
  bool isRead() const { return opcode == VB_IBV_WR_RDMA_READ || isAtomic(); }
  bool isWrite() const { return opcode == VB_IBV_WR_RDMA_WRITE || opcode == VB_IBV_WR_RDMA_WRITE_WITH_IMM; }
  // Takes a receive request at the other end.
  bool needsReceive() const {
    return opcode == VB_IBV_WR_SEND || opcode == VB_IBV_WR_SEND_WITH_IMM || opcode == VB_IBV_WR_RDMA_WRITE_WITH_IMM;
  }
};

// A posted receive. The scatter list lies in its queue.
struct ReceiveRequest {
  uint64_t wrId = 0;
  const vb_ibv_sge *sges = nullptr;
  int sgeCount = 0;
};

// IBV_WC_… of a request's own completion.
int completionOpcode(int workRequestOpcode);

}  // namespace fabricsim
