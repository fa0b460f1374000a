// Polls in vain.
#pragma once

#include <sched.h>

namespace fabricsim::patience {

// Polls in a row that found nothing, after which a thread lets others run: what it waits for is made by other threads and processes, and a
// machine may have fewer processors than those.
constexpr unsigned kPatientPolls = 64;

// This thread has polled.
inline void polled(bool hasFound) {
  thread_local unsigned inVain = 0;
  inVain = hasFound ? 0 : inVain + 1;
  if (inVain < kPatientPolls) return;
  inVain = 0;
  sched_yield();
}

}  // namespace fabricsim::patience
