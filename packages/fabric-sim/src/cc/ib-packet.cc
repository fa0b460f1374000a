#include "ib-packet.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "mad.h"
#include "packet-headers.h"

namespace fabricsim {

namespace {
constexpr uint8_t kOpcodeUdSendOnly = 0x64;
constexpr uint8_t kManagementLane = 15;
constexpr uint16_t kDefaultPkey = 0xffff;

uint16_t pkeyAt(const PortState &port, uint16_t index) { return index < port.pkeys.size() ? port.pkeys[index] : kDefaultPkey; }

uint16_t indexOfPkey(const PortState &port, uint16_t pkey) {
  auto found = std::find_if(port.pkeys.begin(), port.pkeys.end(), [&](uint16_t k) { return k != 0 && (k & 0x7fff) == (pkey & 0x7fff); });
  return found == port.pkeys.end() ? 0 : static_cast<uint16_t>(found - port.pkeys.begin());
}
}  // namespace

Bytes buildMadPacket(const PortState &port, uint32_t localQpn, const vb_ib_mad_addr &to, const uint8_t *madBytes) {
  bool global = to.grh_present != 0;
  size_t bthAt = kLrhSize + (global ? kGrhSize : 0);
  size_t madAt = bthAt + kBthSize + kDethSize;
  Bytes packet(madAt + mad::kSize);
  uint16_t dlid = ntohs(to.be_lid);
  uint16_t slid = dlid == kPermissiveLid ? kPermissiveLid : sourceLid(port, to.path_bits);
  writeLrh(packet.data(), {localQpn == 0 ? kManagementLane : uint8_t{0}, to.sl, slid, dlid, global}, packet.size());
  if (global) {
    GlobalRoute route = {to.traffic_class, ntohl(to.be_flow_label), to.hop_limit, to.gid_index, to.gid};
    writeGrh(packet.data() + kLrhSize, port, route, packet.size() - bthAt);
  }
  uint8_t *bth = packet.data() + bthAt;
  bth[0] = kOpcodeUdSendOnly;
  putBe16(bth + 2, pkeyAt(port, to.pkey_index));
  putBe32(bth + 4, ntohl(to.be_qpn) & 0xffffff);
  uint8_t *deth = bth + kBthSize;
  putBe32(deth, localQpn == 0 ? 0 : ntohl(to.be_qkey));
  putBe32(deth + 4, localQpn);
  memcpy(packet.data() + madAt, madBytes, mad::kSize);
  return packet;
}

std::optional<ReceivedMad> parseMadPacket(const PortState &port, ByteView packet) {
  LocalRoute route;
  if (!readLrh(packet.data(), packet.size(), route)) return std::nullopt;
  size_t bthAt = kLrhSize + (route.isGlobal ? kGrhSize : 0);
  size_t madAt = bthAt + kBthSize + kDethSize;
  if (packet.size() != madAt + mad::kSize) return std::nullopt;
  const uint8_t *bth = packet.data() + bthAt;
  const uint8_t *deth = bth + kBthSize;

  ReceivedMad received = {};
  received.qpn = getBe32(bth + 4) & 0xffffff;
  received.slid = route.slid;
  received.sourceQpn = getBe32(deth + 4) & 0xffffff;
  received.mad = packet.subspan(madAt);
  vb_ib_mad_addr &from = received.from;
  from.be_qpn = htonl(received.sourceQpn);
  from.be_qkey = htonl(getBe32(deth));
  from.be_lid = htons(received.slid);
  from.sl = route.sl;
  from.path_bits = static_cast<uint8_t>(route.dlid & ((1u << port.lmc) - 1));
  from.pkey_index = indexOfPkey(port, getBe16(bth + 2));
  if (route.isGlobal) {
    const uint8_t *grh = packet.data() + kLrhSize;
    from.grh_present = 1;
    from.be_flow_label = htonl(getBe32(grh) & 0xfffff);
    from.traffic_class = static_cast<uint8_t>(getBe32(grh) >> 20);
    from.hop_limit = grh[7];
    memcpy(from.gid, grh + 8, 16);
    for (size_t i = 0; i < port.gids.size(); ++i) {
      if (memcmp(port.gids[i].data(), grh + 24, 16) == 0) from.gid_index = static_cast<uint8_t>(i);
    }
  }
  return received;
}

}  // namespace fabricsim
