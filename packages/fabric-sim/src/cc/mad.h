// Management datagrams: header fields, and which classes have what (IBA 13.4, 13.6). A MAD on the wire has 256 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bytes.h"

namespace fabricsim::mad {

constexpr size_t kSize = 256;
constexpr size_t kHeaderSize = 24;
constexpr size_t kRmppHeaderEnd = 36;  // MAD header and RMPP header

constexpr uint8_t kClassDirectedRoute = 0x81;
constexpr uint8_t kClassSubnLid = 0x01;
constexpr uint8_t kClassSubnAdm = 0x03;
constexpr uint8_t kClassDeviceMgmt = 0x06;
constexpr uint8_t kClassDeviceAdm = 0x10;
constexpr uint8_t kClassBootMgmt = 0x11;
constexpr uint8_t kClassBis = 0x12;

constexpr uint8_t kMethodSend = 0x03;
constexpr uint8_t kMethodTrapRepress = 0x07;
constexpr uint8_t kMethodResponse = 0x80;

inline uint8_t managementClass(const uint8_t *m) { return m[1]; }
inline uint8_t classVersion(const uint8_t *m) { return m[2]; }
inline uint8_t method(const uint8_t *m) { return m[3]; }
inline uint64_t tid(const uint8_t *m) { return getBe64(m + 8); }
inline void setTidHigh(uint8_t *m, uint32_t high) { putBe32(m + 8, high); }

inline bool isVendorOuiClass(uint8_t c) { return c >= 0x30 && c <= 0x4f; }
inline bool isRmppClass(uint8_t c) {
  return c == kClassSubnAdm || c == kClassDeviceMgmt || c == kClassDeviceAdm || c == kClassBis || isVendorOuiClass(c);
}
// Bytes of a segment that are header and not payload.
inline size_t dataOffset(uint8_t c) {
  if (c == kClassSubnAdm) return 56;
  if (c == kClassDeviceMgmt || c == kClassDeviceAdm || c == kClassBis) return 64;
  if (isVendorOuiClass(c)) return 40;
  return kHeaderSize;
}
// True for a MAD that answers one of ours.
inline bool isResponse(const uint8_t *m) {
  return (method(m) & kMethodResponse) != 0 || method(m) == kMethodTrapRepress ||
         (managementClass(m) == kClassBootMgmt && (m[23] & 1) != 0);
}

// The RMPP header at byte 24: version, type, flags (low 3 bits) and response time (high 5), status, two words.
namespace rmpp {
constexpr uint8_t kVersion = 1;
enum Type : uint8_t { kData = 1, kAck = 2, kStop = 3, kAbort = 4 };
constexpr uint8_t kActive = 1;
constexpr uint8_t kFirst = 2;
constexpr uint8_t kLast = 4;
enum Status : uint8_t {
  kOk = 0,
  kResourcesExhausted = 1,
  kAbortMin = 118,
  kTooLong = 118,
  kInconsistentLast = 119,
  kInconsistentFirst = 120,
  kBadType = 121,
  kNewWindowTooSmall = 122,
  kSegmentTooBig = 123,
  kIllegalStatus = 124,
  kUnsupportedVersion = 125,
  kTooManyRetries = 126,
  kAbortMax = 127,
};

inline uint8_t version(const uint8_t *m) { return m[24]; }
inline uint8_t type(const uint8_t *m) { return m[25]; }
inline uint8_t flags(const uint8_t *m) { return m[26] & 7; }
inline uint8_t status(const uint8_t *m) { return m[27]; }
inline uint32_t segment(const uint8_t *m) { return getBe32(m + 28); }
inline uint32_t lengthOrWindow(const uint8_t *m) { return getBe32(m + 32); }
inline bool isActive(const uint8_t *m) { return (flags(m) & kActive) != 0; }
inline void setFlags(uint8_t *m, uint8_t flags) { m[26] = static_cast<uint8_t>((m[26] & ~7) | flags); }
inline void setSegment(uint8_t *m, uint32_t segment) { putBe32(m + 28, segment); }
inline void setLengthOrWindow(uint8_t *m, uint32_t value) { putBe32(m + 32, value); }

// Fills `answer` with a control MAD for the data MAD `m`: its headers, direction turned round.
inline void control(uint8_t answer[kSize], const uint8_t *m, Type type, Status status, uint32_t segment, uint32_t window) {
  memset(answer, 0, kSize);
  memcpy(answer, m, dataOffset(managementClass(m)));
  answer[3] ^= kMethodResponse;
  answer[24] = kVersion;
  answer[25] = type;
  setFlags(answer, kActive);
  answer[27] = status;
  setSegment(answer, segment);
  setLengthOrWindow(answer, window);
}
}  // namespace rmpp

}  // namespace fabricsim::mad
