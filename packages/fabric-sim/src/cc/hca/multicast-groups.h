// Which queue pairs of this process are in which multicast groups, and what the fabric is told of it. Process lock held; it is released while
// the fabric answers.
#pragma once

#include "bytes.h"
#include "process.h"
#include "state-page.h"

namespace fabricsim {

class QueuePair;

// 0 or an errno value.
int joinGroup(Lock &lock, QueuePair &pair, const RawGid &group);
// False if it is not a member.
bool leaveGroup(Lock &lock, QueuePair &pair, const RawGid &group);
void leaveAllGroups(Lock &lock, QueuePair &pair);

}  // namespace fabricsim
