// Numbers of the attach protocol: docs/attach-protocol.md. The fabric's copy is src/attach/protocol.ts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fabricsim::attach {

constexpr uint16_t kProtocolVersion = 3;
constexpr uint32_t kHelloMagic = 0x42414656;  // "VFAB"
constexpr const char *kSocketName = "fabric.sock";
constexpr size_t kMaxSocketPath = 107;
constexpr size_t kMaxFrame = 65536;       // everything behind the length field
constexpr size_t kFrameHeaderSize = 12;   // u32 length, u16 type, u16 zero, u32 tag
constexpr uint16_t kReplyBit = 0x8000;
constexpr int kCallTimeoutMs = 2000;

enum Type : uint16_t {
  kHello = 1,
  kOpenPort = 2,
  kClosePort = 3,
  kRegisterAgent = 4,
  kUnregisterAgent = 5,
  kPacket = 6,
  kSetIssm = 7,
  kAsyncEvent = 8,
  kReserve = 9,
  kData = 10,
  kAttachMulticast = 11,
  kDetachMulticast = 12,
  kViolation = 13,
  kSync = 14,
};

// What kReserve asks for.
enum class Number : uint8_t {
  Qpn = 1,     // queue pair numbers of an HCA
  KeyTag = 2,  // high 12 bits of the keys of memory regions of an HCA
};

// What kViolation tells: why a queue pair dropped a packet.
enum class Key : uint8_t { Partition = 1, Queue = 2 };

// Bytes of a kData body before the packet: u32 HCA index, u8 port, zeros.
constexpr size_t kDataHeadSize = 8;

}  // namespace fabricsim::attach
