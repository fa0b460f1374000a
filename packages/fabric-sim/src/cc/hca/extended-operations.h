// The operations of libibverbs' extended interface, which programs reach through a context.
#pragma once

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

// Fills in those that the simulator offers; the others stay NULL, which tells programs that they are not supported.
void setExtendedOperations(vb_verbs_context &context);

}  // namespace fabricsim
