#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "umad-library.h"

namespace verbena {

// Reads what waits at one umad port into a batch, without ever waiting.
//
// A batch is a sequence of records: the 64-byte header as the library gave it, but with `length` set to the number of MAD bytes, then
// those bytes, then zeroes up to a multiple of 8.
class UmadReceiver {
 public:
  enum class Outcome { kDrained, kMore, kFailed };

  // One turn of the event loop takes at most so much; the rest waits for the next.
  static constexpr int kMaxMessages = 64;
  static constexpr size_t kMaxBytes = 1 << 20;
  // Largest message taken. Beyond any table a subnet manager sends today (65536 nodes of 112 bytes are 7 MB).
  static constexpr size_t kMaxMessage = 256 << 20;

  UmadReceiver(const UmadFunctions& functions, int port_id);

  // Appends to `batch`. kMore: the budget is used up, something may be left. kFailed: see error().
  Outcome Receive(std::vector<uint8_t>* batch);

  // errno of the last kFailed.
  int error() const { return error_; }

 private:
  // A message that does not fit is kept by the library, which says how long it is.
  static constexpr size_t kInitialCapacity = 2048;
  static constexpr size_t kKeptCapacity = 1 << 20;

  // 1 message appended, 0 nothing there, -1 failed.
  int ReceiveOne(std::vector<uint8_t>* batch);

  const UmadFunctions& functions_;
  const int port_id_;
  std::vector<uint8_t> buffer_;  // header and MAD
  int error_ = 0;
};

}  // namespace verbena
