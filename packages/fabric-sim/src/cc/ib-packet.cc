#include "ib-packet.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "mad.h"

namespace fabricsim {

namespace {
constexpr size_t kLrhSize = 8;
constexpr size_t kGrhSize = 40;
constexpr size_t kBthSize = 12;
constexpr size_t kDethSize = 8;
constexpr size_t kIcrcSize = 4;
constexpr uint8_t kLnhLocal = 2;
constexpr uint8_t kLnhGlobal = 3;
constexpr uint8_t kOpcodeUdSendOnly = 0x64;
constexpr uint8_t kNextHeaderIba = 0x1b;
constexpr uint16_t kPermissiveLid = 0xffff;
constexpr uint16_t kDefaultPkey = 0xffff;

uint16_t pkeyAt(const PortState &port, uint16_t index) { return index < port.pkeys.size() ? port.pkeys[index] : kDefaultPkey; }

uint16_t indexOfPkey(const PortState &port, uint16_t pkey) {
  auto found = std::find_if(port.pkeys.begin(), port.pkeys.end(), [&](uint16_t k) { return k != 0 && (k & 0x7fff) == (pkey & 0x7fff); });
  return found == port.pkeys.end() ? 0 : static_cast<uint16_t>(found - port.pkeys.begin());
}

void writeGrh(uint8_t *grh, const PortState &port, const vb_ib_mad_addr &to) {
  uint32_t flow = ntohl(to.be_flow_label) & 0xfffff;
  putBe32(grh, 6u << 28 | static_cast<uint32_t>(to.traffic_class) << 20 | flow);
  putBe16(grh + 4, static_cast<uint16_t>(kBthSize + kDethSize + mad::kSize + kIcrcSize));
  grh[6] = kNextHeaderIba;
  grh[7] = to.hop_limit;
  if (to.gid_index < port.gids.size()) memcpy(grh + 8, port.gids[to.gid_index].data(), 16);
  memcpy(grh + 24, to.gid, 16);
}
}  // namespace

Bytes buildMadPacket(const PortState &port, uint32_t localQpn, const vb_ib_mad_addr &to, const uint8_t *madBytes) {
  bool global = to.grh_present != 0;
  size_t bthAt = kLrhSize + (global ? kGrhSize : 0);
  size_t madAt = bthAt + kBthSize + kDethSize;
  Bytes packet(madAt + mad::kSize);
  uint8_t *lrh = packet.data();
  uint16_t dlid = ntohs(to.be_lid);
  uint8_t pathMask = static_cast<uint8_t>((1u << port.lmc) - 1);
  uint16_t slid = dlid == kPermissiveLid ? kPermissiveLid : static_cast<uint16_t>(port.lid | (to.path_bits & pathMask));
  lrh[0] = localQpn == 0 ? 0xf0 : 0;  // virtual lane 15 is the subnet manager's
  lrh[1] = static_cast<uint8_t>((to.sl & 0xf) << 4 | (global ? kLnhGlobal : kLnhLocal));
  putBe16(lrh + 2, dlid);
  putBe16(lrh + 4, static_cast<uint16_t>((packet.size() + kIcrcSize) / 4));
  putBe16(lrh + 6, slid);
  if (global) writeGrh(lrh + kLrhSize, port, to);
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
  if (packet.size() < kLrhSize) return std::nullopt;
  const uint8_t *lrh = packet.data();
  uint8_t lnh = lrh[1] & 3;
  if (lnh != kLnhLocal && lnh != kLnhGlobal) return std::nullopt;
  size_t bthAt = kLrhSize + (lnh == kLnhGlobal ? kGrhSize : 0);
  size_t madAt = bthAt + kBthSize + kDethSize;
  if (packet.size() != madAt + mad::kSize) return std::nullopt;
  const uint8_t *bth = packet.data() + bthAt;
  const uint8_t *deth = bth + kBthSize;

  ReceivedMad received = {};
  received.qpn = getBe32(bth + 4) & 0xffffff;
  received.slid = getBe16(lrh + 6);
  received.sourceQpn = getBe32(deth + 4) & 0xffffff;
  received.mad = packet.subspan(madAt);
  vb_ib_mad_addr &from = received.from;
  from.be_qpn = htonl(received.sourceQpn);
  from.be_qkey = htonl(getBe32(deth));
  from.be_lid = htons(received.slid);
  from.sl = lrh[1] >> 4;
  from.path_bits = static_cast<uint8_t>(getBe16(lrh + 2) & ((1u << port.lmc) - 1));
  from.pkey_index = indexOfPkey(port, getBe16(bth + 2));
  if (lnh == kLnhGlobal) {
    const uint8_t *grh = lrh + kLrhSize;
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
