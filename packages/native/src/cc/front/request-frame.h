#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace verbena::front {

// The header of the client protocol, which is all that the front end knows of it. The rules are those of core's framer.
constexpr size_t kHeaderSize = 16;
constexpr size_t kRecordSize = 72;
constexpr size_t kMaxRequest = kHeaderSize + 8 * kRecordSize;
constexpr size_t kTidOffset = 8;

// Why a stream cannot be read further.
enum class Violation : uint32_t { kNone = 0, kVersion = 1, kOpcode = 2, kLength = 3 };

struct Frame {
  size_t length = 0;  // of the whole message; 0 = more bytes are needed to tell
  Violation violation = Violation::kNone;
};

// Judges each byte as soon as it is there. RESOLVE (the whole opcode byte 0x01) has its length in the order of the CPU, all others
// big-endian.
inline Frame ReadFrame(const uint8_t* bytes, size_t have) {
  constexpr uint8_t kVersion = 1, kResolve = 1, kOpcodeMask = 0x0f, kLastOpcode = 3;
  constexpr size_t kLengthOffset = 6;
  if (have == 0) return {};
  if (bytes[0] != kVersion) return {0, Violation::kVersion};
  if (have < 2) return {};
  const uint8_t operation = bytes[1] & kOpcodeMask;
  if (operation == 0 || operation > kLastOpcode) return {0, Violation::kOpcode};
  if (have < kLengthOffset + 2) return {};
  size_t length = static_cast<size_t>(bytes[kLengthOffset]) << 8 | bytes[kLengthOffset + 1];
  if (bytes[1] == kResolve && std::endian::native == std::endian::little) {
    length = static_cast<size_t>(bytes[kLengthOffset + 1]) << 8 | bytes[kLengthOffset];
  }
  const bool is_valid = length >= kHeaderSize && length <= kMaxRequest && (length - kHeaderSize) % kRecordSize == 0;
  return is_valid ? Frame{length, Violation::kNone} : Frame{0, Violation::kLength};
}

inline uint64_t ReadTid(const uint8_t* message) {
  uint64_t tid = 0;
  std::memcpy(&tid, message + kTidOffset, sizeof tid);
  return tid;
}

}  // namespace verbena::front
