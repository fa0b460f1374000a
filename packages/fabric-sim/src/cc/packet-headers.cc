#include "packet-headers.h"

#include <cstring>

#include "bytes.h"

namespace fabricsim {

namespace {
// LRH:LNH, what follows (IBA 7.7.2).
constexpr uint8_t kLnhLocal = 2;
constexpr uint8_t kLnhGlobal = 3;
constexpr uint8_t kNextHeaderIba = 0x1b;
}  // namespace

uint16_t sourceLid(const PortState &port, uint8_t pathBits) {
  return static_cast<uint16_t>(port.lid | (pathBits & ((1u << port.lmc) - 1)));
}

void writeLrh(uint8_t *lrh, const LocalRoute &route, size_t packetSize) {
  lrh[0] = static_cast<uint8_t>(route.lane << 4);
  lrh[1] = static_cast<uint8_t>((route.sl & 0xf) << 4 | (route.isGlobal ? kLnhGlobal : kLnhLocal));
  putBe16(lrh + 2, route.dlid);
  putBe16(lrh + 4, static_cast<uint16_t>((packetSize + kIcrcSize) / 4));
  putBe16(lrh + 6, route.slid);
}

void writeGrh(uint8_t *grh, const PortState &port, const GlobalRoute &route, size_t following) {
  putBe32(grh, 6u << 28 | static_cast<uint32_t>(route.trafficClass) << 20 | (route.flowLabel & 0xfffff));
  putBe16(grh + 4, static_cast<uint16_t>(following + kIcrcSize));
  grh[6] = kNextHeaderIba;
  grh[7] = route.hopLimit;
  if (route.sgidIndex < port.gids.size()) {
    memcpy(grh + 8, port.gids[route.sgidIndex].data(), 16);
  } else {
    memset(grh + 8, 0, 16);
  }
  memcpy(grh + 24, route.dgid, 16);
}

bool readLrh(const uint8_t *packet, size_t size, LocalRoute &route) {
  if (size < kLrhSize) return false;
  uint8_t next = packet[1] & 3;
  if (next != kLnhLocal && next != kLnhGlobal) return false;
  route = {static_cast<uint8_t>(packet[0] >> 4), static_cast<uint8_t>(packet[1] >> 4), getBe16(packet + 6), getBe16(packet + 2), next == kLnhGlobal};
  return true;
}

}  // namespace fabricsim
