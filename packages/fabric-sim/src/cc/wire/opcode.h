// Opcodes of the base transport header (IBA 9.2.1, table 38): three bits of service, five of operation.
#pragma once

#include <cstdint>

namespace fabricsim {

namespace service {
constexpr uint8_t kReliableConnection = 0x00;
constexpr uint8_t kUnreliableConnection = 0x20;
constexpr uint8_t kUnreliableDatagram = 0x60;
constexpr uint8_t kMask = 0xe0;
}  // namespace service

namespace operation {
constexpr uint8_t kMask = 0x1f;
constexpr uint8_t kSendFirst = 0x00;
constexpr uint8_t kSendMiddle = 0x01;
constexpr uint8_t kSendLast = 0x02;
constexpr uint8_t kSendLastImmediate = 0x03;
constexpr uint8_t kSendOnly = 0x04;
constexpr uint8_t kSendOnlyImmediate = 0x05;
constexpr uint8_t kWriteFirst = 0x06;
constexpr uint8_t kWriteMiddle = 0x07;
constexpr uint8_t kWriteLast = 0x08;
constexpr uint8_t kWriteLastImmediate = 0x09;
constexpr uint8_t kWriteOnly = 0x0a;
constexpr uint8_t kWriteOnlyImmediate = 0x0b;
constexpr uint8_t kReadRequest = 0x0c;
constexpr uint8_t kReadResponseFirst = 0x0d;
constexpr uint8_t kReadResponseMiddle = 0x0e;
constexpr uint8_t kReadResponseLast = 0x0f;
constexpr uint8_t kReadResponseOnly = 0x10;
constexpr uint8_t kAcknowledge = 0x11;
constexpr uint8_t kAtomicAcknowledge = 0x12;
constexpr uint8_t kCompareSwap = 0x13;
constexpr uint8_t kFetchAdd = 0x14;
}  // namespace operation

// What an operation is, beside its headers.
struct OperationTraits {
  bool isSend;
  bool isWrite;
  bool isStart;  // of a message: FIRST or ONLY
  bool isEnd;    // of a message: LAST or ONLY
};

inline OperationTraits traitsOf(uint8_t op) {
  using namespace operation;
  bool isSend = op <= kSendOnlyImmediate;
  bool isWrite = op >= kWriteFirst && op <= kWriteOnlyImmediate;
  // Both families have the same order: first, middle, last, last with immediate, only, only with immediate.
  uint8_t place = isWrite ? static_cast<uint8_t>(op - kWriteFirst) : op;
  bool isStart = place == kSendFirst || place >= kSendOnly;
  bool isEnd = place >= kSendLast;
  return {isSend, isWrite, isStart, isEnd};
}

inline bool isResponse(uint8_t op) { return op >= operation::kReadResponseFirst && op <= operation::kAtomicAcknowledge; }

// Syndromes of the acknowledge header (IBA 9.7.5.2.1, tables 43 to 45): three bits of kind, five of detail.
namespace syndrome {
constexpr uint8_t kDetailMask = 0x1f;
constexpr uint8_t kKindMask = 0xe0;
// No credits are told: a requester sends, and hears if no receive is posted.
constexpr uint8_t kAck = 0x1f;
constexpr uint8_t kRnr = 0x20;
constexpr uint8_t kNak = 0x60;
constexpr uint8_t kSequenceError = kNak | 0;
constexpr uint8_t kInvalidRequest = kNak | 1;
constexpr uint8_t kRemoteAccess = kNak | 2;
constexpr uint8_t kRemoteOperation = kNak | 3;
}  // namespace syndrome

}  // namespace fabricsim
