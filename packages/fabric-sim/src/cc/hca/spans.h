// Scatter/gather lists turned into memory, with the checks of IBA 10.6: key, protection domain, bounds, permission.
#pragma once

#include <array>
#include <cstdint>

#include "hca/hca.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

struct Span {
  uint8_t *bytes;
  uint64_t length;
};

class Spans {
 public:
  // Adds what a scatter/gather list covers. `needed`: VB_IBV_ACCESS_… of the regions, 0 for reading. False if one of them does not fit.
  bool add(const Hca &hca, const vb_ibv_pd *pd, const vb_ibv_sge *sges, int count, int needed);
  void add(uint8_t *bytes, uint64_t length) {
    spans_[count_++] = {bytes, length};
    total_ += length;
  }

  uint64_t total() const { return total_; }
  const Span *begin() const { return spans_.data(); }
  const Span *end() const { return spans_.data() + count_; }

  // Bytes of `from` into this list, behind its first `offset` bytes. They fit.
  void fill(uint64_t offset, const Spans &from);
  // The `length` bytes behind the first `offset`; they are there.
  void copyOut(uint64_t offset, uint64_t length, uint8_t *to) const;

 private:
  std::array<Span, HcaLimits::kSges + 1> spans_;  // uninitialised beyond count_: this is made for every message
  size_t count_ = 0;
  uint64_t total_ = 0;
};

}  // namespace fabricsim
