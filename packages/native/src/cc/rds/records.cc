#include "rds/records.h"

#include <cstring>

namespace verbena {
namespace {

constexpr size_t Align8(size_t size) { return (size + 7) & ~size_t{7}; }

}  // namespace

size_t FlattenControl(const msghdr& message, uint8_t* out) {
  size_t written = 0;
  // CMSG_NXTHDR wants a message it may change.
  msghdr chain = message;
  for (cmsghdr* control = CMSG_FIRSTHDR(&chain); control != nullptr; control = CMSG_NXTHDR(&chain, control)) {
    const size_t begin = reinterpret_cast<uint8_t*>(control) - static_cast<uint8_t*>(chain.msg_control);
    const size_t left = chain.msg_controllen - begin;
    // The kernel cuts the last one where the buffer ends, and leaves the length it would have had.
    const size_t whole = control->cmsg_len < left ? control->cmsg_len : left;
    if (whole < CMSG_LEN(0)) break;
    const size_t size = whole - CMSG_LEN(0);
    const RdsControl head = {control->cmsg_level, control->cmsg_type, static_cast<uint32_t>(size), 0};
    std::memcpy(out + written, &head, sizeof head);
    std::memcpy(out + written + sizeof head, CMSG_DATA(control), size);
    std::memset(out + written + sizeof head + size, 0, Align8(size) - size);
    written += sizeof head + Align8(size);
  }
  return written;
}

}  // namespace verbena
