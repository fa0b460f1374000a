#pragma once

#include <cstddef>
#include <cstdint>

#include "verbena/ibverbs-abi.h"

namespace verbena {

// Completions as JavaScript reads them (src/rdma/completion-records.ts): the library's own structures, in which the number of the request
// was replaced by the program's, a double; and behind the last of them a token for each, 0 for those of the program. Host order but for
// immediate data, which is the wire's.
class CompletionRecords {
 public:
  static constexpr size_t kSize = sizeof(vb_ibv_wc) + sizeof(uint32_t);
  static_assert(sizeof(vb_ibv_wc) == 48 && sizeof(double) == sizeof(uint64_t));

  // `bytes` is aligned to 8 and holds `capacity` completions.
  CompletionRecords(uint8_t* bytes, size_t capacity)
      : completions_(reinterpret_cast<vb_ibv_wc*>(bytes)),
        tokens_(reinterpret_cast<uint32_t*>(bytes + capacity * sizeof(vb_ibv_wc))),
        capacity_(capacity) {}

  vb_ibv_wc* completions() const { return completions_; }
  uint32_t* tokens() const { return tokens_; }
  int capacity() const { return static_cast<int>(capacity_); }

 private:
  vb_ibv_wc* completions_;
  uint32_t* tokens_;
  size_t capacity_;
};

}  // namespace verbena
