// Packet sequence numbers: 24 bits, counted round (IBA 9.7.2).
#pragma once

#include <cstdint>

namespace fabricsim::psn {

constexpr uint32_t kMask = 0xffffff;

inline uint32_t add(uint32_t psn, uint32_t count) { return (psn + count) & kMask; }
// How many steps `to` is ahead of `from`.
inline uint32_t distance(uint32_t from, uint32_t to) { return (to - from) & kMask; }
// Half of all numbers are behind any one of them.
inline bool isBefore(uint32_t a, uint32_t b) { return distance(a, b) != 0 && distance(a, b) < 0x800000; }

}  // namespace fabricsim::psn
