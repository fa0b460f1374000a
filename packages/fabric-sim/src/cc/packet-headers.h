// Link and network headers of packets, as MADs and the messages of queue pairs have them: LRH (IBA 7.7), GRH (IBA 8.3). No CRCs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "state-page.h"

namespace fabricsim {

constexpr size_t kLrhSize = 8;
constexpr size_t kGrhSize = 40;
constexpr size_t kBthSize = 12;
constexpr size_t kDethSize = 8;
// Invariant CRC: not in the packets, but the length fields count it, as on a wire.
constexpr size_t kIcrcSize = 4;
constexpr uint16_t kPermissiveLid = 0xffff;

struct LocalRoute {
  uint8_t lane;  // virtual lane
  uint8_t sl;
  uint16_t slid;
  uint16_t dlid;
  bool isGlobal;  // a GRH follows
};

struct GlobalRoute {
  uint8_t trafficClass;
  uint32_t flowLabel;
  uint8_t hopLimit;
  uint8_t sgidIndex;    // in the port's table
  const uint8_t *dgid;  // 16 bytes
};

// The LID that packets from `port` carry as their source.
uint16_t sourceLid(const PortState &port, uint8_t pathBits);

// 8 bytes; `packetSize` from here on, without CRCs.
void writeLrh(uint8_t *lrh, const LocalRoute &route, size_t packetSize);
// 40 bytes; `following`: the bytes behind it, without CRCs.
void writeGrh(uint8_t *grh, const PortState &port, const GlobalRoute &route, size_t following);

// What an LRH says; false if the packet is too short for it, or is not one of InfiniBand's transports.
bool readLrh(const uint8_t *packet, size_t size, LocalRoute &route);

}  // namespace fabricsim
