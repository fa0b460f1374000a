// State of an opened device, for the query functions. Errors leave their reason in errno.
#pragma once

#include "state-page.h"
#include "verbs-context.h"

namespace fabricsim {

// The state of the context's device; false if the fabric is gone (EIO) or the process is a forked child (ENODEV).
bool readState(vb_ibv_context *context, HcaState &state);
// A port of it, a part of `state`; NULL also for a number that no port has (EINVAL).
const PortState *findPort(vb_ibv_context *context, uint32_t number, HcaState &state);

// What ibv_query_device says. 0 or an errno value.
int queryDevice(vb_ibv_context *context, vb_ibv_device_attr &attributes);

}  // namespace fabricsim
