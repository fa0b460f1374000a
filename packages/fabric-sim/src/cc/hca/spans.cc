#include "hca/spans.h"

#include <algorithm>
#include <cstring>

namespace fabricsim {

bool Spans::add(const Hca &hca, const vb_ibv_pd *pd, const vb_ibv_sge *sges, int count, int needed) {
  for (int i = 0; i < count; ++i) {
    const vb_ibv_sge &sge = sges[i];
    if (sge.length == 0) continue;
    const MemoryRegion *region = hca.region(sge.lkey);
    if (region == nullptr || region->handle.pd != pd || (region->access & needed) != needed) return false;
    uint8_t *bytes = region->at(sge.addr, sge.length);
    if (bytes == nullptr) return false;
    add(bytes, sge.length);
  }
  return true;
}

void Spans::fill(uint64_t offset, const Spans &from) {
  const Span *to = begin();
  while (to != end() && offset >= to->length) offset -= (to++)->length;
  for (const Span &source : from) {
    uint64_t done = 0;
    while (done < source.length && to != end()) {
      uint64_t n = std::min(source.length - done, to->length - offset);
      memmove(to->bytes + offset, source.bytes + done, n);
      done += n;
      offset += n;
      if (offset == to->length) {
        ++to;
        offset = 0;
      }
    }
  }
}

void Spans::copyOut(uint64_t offset, uint64_t length, uint8_t *to) const {
  for (const Span &source : *this) {
    if (length == 0) return;
    if (offset >= source.length) {
      offset -= source.length;
      continue;
    }
    uint64_t n = std::min(length, source.length - offset);
    memcpy(to, source.bytes + offset, n);
    to += n;
    length -= n;
    offset = 0;
  }
}

}  // namespace fabricsim
