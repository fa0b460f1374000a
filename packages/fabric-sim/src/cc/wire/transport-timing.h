// Times of the reliable transport. They are the fabric's: with a time scale they pass faster.
#pragma once

#include "timer-queue.h"

namespace fabricsim {

// How long a requester waits after an RNR NAK with this timer code, 5 bits (IBA 9.7.5.2.8, table 45).
Clock::duration receiverNotReadyTime(uint8_t code);

// T_tr of a time-out code, 5 bits and not 0: 4.096 microseconds times 2^code (IBA 9.7.6.1.3).
Clock::duration acknowledgeTime(uint8_t code);

// How long a requester waits for an acknowledgement that the fabric brings, after `attempt` time-outs or losses in a row. The specification
// allows T_tr to four times that: first it is quick, then patient, since the fabric is a program that other programs hold up.
Clock::duration acknowledgePatience(uint8_t code, unsigned attempt);

}  // namespace fabricsim
