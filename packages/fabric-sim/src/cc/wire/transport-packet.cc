#include "wire/transport-packet.h"

#include <cstring>

#include "wire/opcode.h"

namespace fabricsim {

namespace {

enum Extension : unsigned { kDeth = 1, kReth = 2, kAtomicEth = 4, kAeth = 8, kAtomicAckEth = 16, kImmediate = 32, kUnknown = 64 };

// IBA table 38, column "packet contents following the base transport header".
unsigned extensionsOf(uint8_t opcode) {
  using namespace operation;
  uint8_t kind = opcode & service::kMask;
  uint8_t op = opcode & operation::kMask;
  if (kind == service::kUnreliableDatagram) {
    if (op == kSendOnly) return kDeth;
    return op == kSendOnlyImmediate ? kDeth | kImmediate : kUnknown;
  }
  if (kind != service::kReliableConnection && kind != service::kUnreliableConnection) return kUnknown;
  if (kind == service::kUnreliableConnection && op > kWriteOnlyImmediate) return kUnknown;
  switch (op) {
    case kSendFirst:
    case kSendMiddle:
    case kSendLast:
    case kSendOnly:
    case kWriteMiddle:
    case kWriteLast:
    case kReadResponseMiddle:
      return 0;
    case kSendLastImmediate:
    case kSendOnlyImmediate:
    case kWriteLastImmediate:
      return kImmediate;
    case kWriteFirst:
    case kWriteOnly:
    case kReadRequest:
      return kReth;
    case kWriteOnlyImmediate:
      return kReth | kImmediate;
    case kReadResponseFirst:
    case kReadResponseLast:
    case kReadResponseOnly:
    case kAcknowledge:
      return kAeth;
    case kAtomicAcknowledge:
      return kAeth | kAtomicAckEth;
    case kCompareSwap:
    case kFetchAdd:
      return kAtomicEth;
    default:
      return kUnknown;
  }
}

size_t sizeOf(unsigned extensions) {
  return ((extensions & kDeth) != 0 ? kDethSize : 0) + ((extensions & kReth) != 0 ? 16 : 0) + ((extensions & kAtomicEth) != 0 ? 28 : 0) +
         ((extensions & kAeth) != 0 ? 4 : 0) + ((extensions & kAtomicAckEth) != 0 ? 8 : 0) + ((extensions & kImmediate) != 0 ? 4 : 0);
}

void writeBth(uint8_t *bth, const TransportHead &head, size_t padding) {
  constexpr unsigned kSolicited = 0x80;
  // A queue pair without automatic path migration counts as migrated (IBA 17.2.8).
  constexpr unsigned kMigrated = 0x40;
  bth[0] = head.opcode;
  bth[1] = static_cast<uint8_t>((head.isSolicited ? kSolicited : 0u) | kMigrated | padding << 4);
  putBe16(bth + 2, head.pkey);
  putBe32(bth + 4, head.destQpn & 0xffffff);
  putBe32(bth + 8, (head.wantsAcknowledge ? 0x80000000u : 0u) | (head.psn & 0xffffff));
}

}  // namespace

size_t packetSize(const AddressVector &to, uint8_t opcode, size_t payload) {
  return kLrhSize + (to.isGlobal ? kGrhSize : 0) + kBthSize + sizeOf(extensionsOf(opcode)) + ((payload + 3) & ~size_t{3});
}

uint8_t *writePacket(uint8_t *packet, const PortState &port, const AddressVector &to, const TransportHead &head, size_t payload) {
  size_t size = packetSize(to, head.opcode, payload);
  writeLrh(packet, {0, to.sl, sourceLid(port, to.pathBits), to.dlid, to.isGlobal}, size);
  uint8_t *at = packet + kLrhSize;
  if (to.isGlobal) {
    writeGrh(at, port, globalRoute(to), size - kLrhSize - kGrhSize);
    at += kGrhSize;
  }
  size_t padding = -payload & 3;
  writeBth(at, head, padding);
  at += kBthSize;
  unsigned extensions = extensionsOf(head.opcode);
  if ((extensions & kDeth) != 0) {
    putBe32(at, head.qkey);
    putBe32(at + 4, head.sourceQpn);
    at += kDethSize;
  }
  if ((extensions & (kReth | kAtomicEth)) != 0) {
    putBe64(at, head.address);
    putBe32(at + 8, head.rkey);
    at += 12;
  }
  if ((extensions & kReth) != 0) {
    putBe32(at, head.dmaLength);
    at += 4;
  }
  if ((extensions & kAtomicEth) != 0) {
    putBe64(at, head.swapAdd);
    putBe64(at + 8, head.compare);
    at += 16;
  }
  if ((extensions & kAeth) != 0) {
    putBe32(at, static_cast<uint32_t>(head.syndrome) << 24 | (head.msn & 0xffffff));
    at += 4;
  }
  if ((extensions & kAtomicAckEth) != 0) {
    putBe64(at, head.original);
    at += 8;
  }
  if ((extensions & kImmediate) != 0) {
    memcpy(at, &head.immediate, 4);
    at += 4;
  }
  memset(at + payload, 0, padding);
  return at;
}

std::optional<IncomingPacket> parsePacket(ByteView packet) {
  LocalRoute route;
  if (!readLrh(packet.data(), packet.size(), route)) return std::nullopt;
  size_t bthAt = kLrhSize + (route.isGlobal ? kGrhSize : 0);
  if (packet.size() < bthAt + kBthSize) return std::nullopt;
  const uint8_t *at = packet.data() + bthAt;
  IncomingPacket out = {route.slid, route.dlid, route.sl, route.isGlobal ? packet.data() + kLrhSize : nullptr, {}, {}};
  TransportHead &head = out.head;
  head.opcode = at[0];
  head.isSolicited = (at[1] & 0x80) != 0;
  size_t padding = at[1] >> 4 & 3;
  head.pkey = getBe16(at + 2);
  head.destQpn = getBe32(at + 4) & 0xffffff;
  head.wantsAcknowledge = (at[8] & 0x80) != 0;
  head.psn = getBe32(at + 8) & 0xffffff;
  unsigned extensions = extensionsOf(head.opcode);
  size_t payloadAt = bthAt + kBthSize + sizeOf(extensions);
  if ((extensions & kUnknown) != 0 || packet.size() < payloadAt + padding) return std::nullopt;
  at += kBthSize;
  if ((extensions & kDeth) != 0) {
    head.qkey = getBe32(at);
    head.sourceQpn = getBe32(at + 4) & 0xffffff;
    at += kDethSize;
  }
  if ((extensions & (kReth | kAtomicEth)) != 0) {
    head.address = getBe64(at);
    head.rkey = getBe32(at + 8);
    at += 12;
  }
  if ((extensions & kReth) != 0) {
    head.dmaLength = getBe32(at);
    at += 4;
  }
  if ((extensions & kAtomicEth) != 0) {
    head.swapAdd = getBe64(at);
    head.compare = getBe64(at + 8);
    at += 16;
  }
  if ((extensions & kAeth) != 0) {
    head.syndrome = at[0];
    head.msn = getBe32(at) & 0xffffff;
    at += 4;
  }
  if ((extensions & kAtomicAckEth) != 0) {
    head.original = getBe64(at);
    at += 8;
  }
  if ((extensions & kImmediate) != 0) memcpy(&head.immediate, at, 4);
  out.payload = packet.subspan(payloadAt, packet.size() - payloadAt - padding);
  return out;
}

}  // namespace fabricsim
