// The memory that messages come from and go to, checked (IBA 10.6.3): of the program itself, and what a peer may touch.
#pragma once

#include "hca/queue-pair.h"
#include "hca/spans.h"

namespace fabricsim {

// What the scatter/gather list of a send covers: its message, or where the answer of a read or an atomic goes. False if the queue pair may
// not use it so.
bool gather(const QueuePair &from, const SendRequest &request, Spans &spans);

// Bytes of `owner` that an RDMA request names; false if it may not touch them. `permission`: VB_IBV_ACCESS_…. `where` stays empty for no
// bytes.
bool remoteBytes(const QueuePair &owner, uint64_t address, uint32_t rkey, uint64_t length, int permission, Spans &where);

// Does the atomic on 8 aligned bytes; what they were before.
uint64_t doAtomic(uint8_t *bytes, bool isAdd, uint64_t compareAdd, uint64_t swap);

}  // namespace fabricsim
