#include "wire/transport-timing.h"

#include <algorithm>
#include <chrono>

#include "process.h"

namespace fabricsim {

namespace {

// In units of 10 microseconds.
constexpr int kRnrTens[] = {65536, 1,   2,   3,   4,   6,   8,   12,   16,   24,   32,   48,   64,   96,   128,   192,
                            256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
constexpr std::chrono::milliseconds kLeastPatience{16};

}  // namespace

Clock::duration receiverNotReadyTime(uint8_t code) {
  return Process::get().scaled(std::chrono::microseconds(10) * kRnrTens[code & 0x1f]);
}

Clock::duration acknowledgeTime(uint8_t code) {
  return Process::get().scaled(std::chrono::nanoseconds(INT64_C(4096) << (code & 0x1f)));
}

Clock::duration acknowledgePatience(uint8_t code, unsigned attempt) {
  return std::max<Clock::duration>(acknowledgeTime(code), kLeastPatience) * (1 << std::min(attempt, 2u));
}

}  // namespace fabricsim
