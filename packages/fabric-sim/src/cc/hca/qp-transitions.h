// Which attributes a change of state must have and may have (IBA 11.2.5.2, table 91).
#pragma once

namespace fabricsim {

// False if a queue pair of `type` may not go from `from` to `to` with the attributes of `mask` (VB_IBV_QP_…).
bool isTransitionAllowed(int type, int from, int to, int mask);

}  // namespace fabricsim
