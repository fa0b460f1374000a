// What this process has registered, against its limit on locked memory. Process lock held.
#pragma once

#include <cstdint>

namespace fabricsim {

// Counts `bytes` in place of `released`; false if the limit forbids it. FABRICSIM_MEMLOCK sets a limit for everybody.
bool pin(uint64_t bytes, uint64_t released = 0);
void unpin(uint64_t bytes);

}  // namespace fabricsim
