// Packets and state pages: what is written reads back, and nothing that comes in reads out of bounds.
#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "check.h"
#include "ib-packet.h"
#include "mad.h"
#include "state-page.h"

using namespace fabricsim;

namespace {

PortState port(uint16_t lid) {
  PortState state;
  state.number = 1;
  state.lid = lid;
  state.lmc = 2;
  state.pkeys = {0x7fff, 0x8001};
  state.gids = {RawGid{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}};
  return state;
}

void roundTrip(bool global) {
  uint8_t mad[mad::kSize];
  for (size_t i = 0; i < sizeof mad; ++i) mad[i] = static_cast<uint8_t>(i);
  vb_ib_mad_addr to = {};
  to.be_qpn = htonl(1);
  to.be_qkey = htonl(0x80010000);
  to.be_lid = htons(0x22);
  to.sl = 5;
  to.path_bits = 3;
  to.pkey_index = 1;
  to.grh_present = global ? 1 : 0;
  to.hop_limit = 9;
  to.traffic_class = 0x77;
  to.be_flow_label = htonl(0x54321);
  to.gid[15] = 0x99;
  Bytes packet = buildMadPacket(port(0x10), 1, to, mad);
  CHECK(packet.size() == (global ? 324u : 284u));
  CHECK(getBe16(packet.data() + 4) * 4u == packet.size() + 4);  // LRH length counts words up to the ICRC

  PortState receiver = port(0x20);
  auto got = parseMadPacket(receiver, packet);
  CHECK(got.has_value());
  CHECK(got->qpn == 1 && got->slid == 0x13 && got->sourceQpn == 1);
  CHECK(ntohs(got->from.be_lid) == 0x13 && got->from.sl == 5 && got->from.path_bits == 2 && got->from.pkey_index == 1);
  CHECK(memcmp(got->mad.data(), mad, sizeof mad) == 0);
  CHECK(got->from.grh_present == (global ? 1 : 0));
  if (global) {
    CHECK(got->from.hop_limit == 9 && got->from.traffic_class == 0x77 && ntohl(got->from.be_flow_label) == 0x54321);
    CHECK(memcmp(got->from.gid, port(0).gids[0].data(), 16) == 0);
  }
  for (size_t length = 0; length < packet.size(); ++length) CHECK(!parseMadPacket(receiver, ByteView(packet).first(length)));
}

void randomPackets() {
  std::mt19937 random(5);
  PortState receiver = port(1);
  for (int i = 0; i < 100000; ++i) {
    Bytes packet(random() % 400);
    for (uint8_t &byte : packet) byte = static_cast<uint8_t>(random());
    auto got = parseMadPacket(receiver, packet);
    CHECK(!got || got->mad.size() == mad::kSize);
  }
}

void randomPages() {
  std::mt19937 random(6);
  char path[] = "/tmp/fabricsim-page-XXXXXX";
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  for (int i = 0; i < 500; ++i) {
    Bytes page(256 + 1024 * (random() % 3));
    for (uint8_t &byte : page) byte = random() % 4 == 0 ? static_cast<uint8_t>(random()) : 0;
    memcpy(page.data(), "VFSP\1\0\0\0\0\0\0", 12);
    page[20] = static_cast<uint8_t>(random() % 4);
    CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()));
    auto mapped = StatePage::open(path);
    CHECK(mapped != nullptr);
    HcaState state;
    if (mapped->read(state)) CHECK(state.ports.size() <= 2 && state.nodeDescription.size() <= 64);
  }
  CHECK(ftruncate(fd, 100) == 0 && StatePage::open(path) == nullptr);
  close(fd);
  unlink(path);
  CHECK(StatePage::open(path) == nullptr);
}

}  // namespace

int main() {
  roundTrip(false);
  roundTrip(true);
  randomPackets();
  randomPages();
  return 0;
}
