#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace verbena {

// What one recvmsg() gave, as src/rds/received.ts reads it: host order, no padding.
struct RdsRecord {
  // Sender: up to 28 bytes of a sockaddr_in6.
  static constexpr size_t kNameRoom = 28;

  uint32_t offset;         // of the data, from the start of the block
  uint32_t copied;         // bytes of data
  uint32_t length;         // of the whole message
  uint32_t flags;          // msg_flags
  uint32_t name_size;      // 0: no message, a notification
  uint8_t name[kNameRoom];
  uint32_t control_offset;  // of the control messages, from the start of the block
  uint32_t control_size;
  uint32_t reserved[2];
};
static_assert(sizeof(RdsRecord) == 64);

// Head of one control message in the block; its data follows, padded to 8 bytes.
struct RdsControl {
  int32_t level;
  int32_t type;
  uint32_t size;  // of the data
  uint32_t reserved;
};
static_assert(sizeof(RdsControl) == 16);

// Room that control messages of `control_size` bytes need at most once they are flat.
constexpr size_t FlatControlRoom(size_t control_size) { return 2 * control_size; }

// Writes the control messages of `message` one after the other to `out`, which has FlatControlRoom(msg_controllen) bytes and is aligned
// to 8. The bytes written.
size_t FlattenControl(const msghdr& message, uint8_t* out);

}  // namespace verbena
