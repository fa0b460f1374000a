// How libibumad chooses a device and a port when the caller leaves them open. The process lock is held.
#pragma once

#include "process.h"

namespace fabricsim {

// The device named `caName`, or for NULL the first with an active port, else the first with a port whose link is up, else the
// first. If `portNumber` points to 0, the port is chosen by the same order. NULL if nothing fits.
Device *selectUmadPort(Process &process, const char *caName, int *portNumber);

}  // namespace fabricsim
