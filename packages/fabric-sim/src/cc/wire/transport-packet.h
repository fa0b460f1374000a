// Packets of queue pairs: LRH, [GRH], BTH, extended transport headers, payload, padding (IBA 9.2, 9.3). No CRCs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bytes.h"
#include "hca/address-handle.h"

namespace fabricsim {

// The transport headers in host form. Which of the extended ones a packet has follows from its opcode.
struct TransportHead {
  uint8_t opcode = 0;
  bool isSolicited = false;
  bool wantsAcknowledge = false;
  uint16_t pkey = 0;
  uint32_t destQpn = 0;
  uint32_t psn = 0;
  // DETH
  uint32_t qkey = 0;
  uint32_t sourceQpn = 0;
  // RETH, AtomicETH
  uint64_t address = 0;
  uint32_t rkey = 0;
  uint32_t dmaLength = 0;  // RETH
  uint64_t swapAdd = 0;    // AtomicETH
  uint64_t compare = 0;    // AtomicETH
  // AETH
  uint8_t syndrome = 0;
  uint32_t msn = 0;
  // AtomicAckETH
  uint64_t original = 0;
  // ImmDt; as programs give it, which is wire order
  uint32_t immediate = 0;
};

// Bytes of a packet with `payload` bytes, padding included.
size_t packetSize(const AddressVector &to, uint8_t opcode, size_t payload);

// Writes everything but the payload into packetSize() bytes; returns where the payload goes.
uint8_t *writePacket(uint8_t *packet, const PortState &port, const AddressVector &to, const TransportHead &head, size_t payload);

struct IncomingPacket {
  uint16_t slid;
  uint16_t dlid;
  uint8_t sl;
  const uint8_t *grh;  // 40 bytes of the packet; NULL if it has none
  TransportHead head;
  ByteView payload;  // of the packet, without padding
};

// Nothing if it is too short for the headers of its opcode, or has an opcode that is not of RC, UC or UD.
std::optional<IncomingPacket> parsePacket(ByteView packet);

}  // namespace fabricsim
