// Packets as they travel between ports: LRH, [GRH], BTH, DETH, MAD (IBA 7.7, 8.3, 9.2). No CRCs.
#pragma once

#include <cstdint>
#include <optional>

#include "bytes.h"
#include "state-page.h"
#include "verbena/ibumad-abi.h"

namespace fabricsim {

// A packet that carries `mad` (256 bytes) from queue pair `localQpn` of the port to `to`, addresses as umad_send gets them.
Bytes buildMadPacket(const PortState &port, uint32_t localQpn, const vb_ib_mad_addr &to, const uint8_t *mad);

struct ReceivedMad {
  vb_ib_mad_addr from;  // as umad_recv gives it
  uint32_t qpn;         // destination queue pair
  uint16_t slid;
  uint32_t sourceQpn;
  ByteView mad;         // 256 bytes, a view of the packet
};

// Takes a packet apart; nothing if it has another shape.
std::optional<ReceivedMad> parseMadPacket(const PortState &port, ByteView packet);

}  // namespace fabricsim
