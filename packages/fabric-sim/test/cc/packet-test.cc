// Packets and state pages: what is written reads back, and nothing that comes in reads out of bounds.
#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "check.h"
#include "ib-packet.h"
#include "mad.h"
#include "state-page.h"
#include "wire/opcode.h"
#include "wire/transport-packet.h"

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

// Layouts of IBA 9.2 and 9.3, byte by byte.
void transportHeaders() {
  AddressVector to;
  to.dlid = 0x22;
  to.sl = 5;
  to.pathBits = 3;
  TransportHead head;
  head.opcode = service::kReliableConnection | operation::kWriteOnlyImmediate;
  head.isSolicited = true;
  head.wantsAcknowledge = true;
  head.pkey = 0x8001;
  head.destQpn = 0x123456;
  head.psn = 0xabcdef;
  head.address = 0x1122334455667788;
  head.rkey = 0x99aabbcc;
  head.dmaLength = 5;
  head.immediate = htonl(0x0a0b0c0d);
  const uint8_t write[] = {0x00, 0x52, 0x00, 0x22, 0x00, 0x0d, 0x00, 0x13,                          // LRH, 13 words with the ICRC
                           0x0b, 0xf0, 0x80, 0x01, 0x00, 0x12, 0x34, 0x56, 0x80, 0xab, 0xcd, 0xef,  // BTH, 3 bytes of padding
                           0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0, 0, 0, 5,  // RETH
                           0x0a, 0x0b, 0x0c, 0x0d, 'h', 'e', 'l', 'l', 'o', 0, 0, 0};
  CHECK(packetSize(to, head.opcode, 5) == sizeof write);
  Bytes packet(sizeof write, 0xff);
  memcpy(writePacket(packet.data(), port(0x10), to, head, 5), "hello", 5);
  CHECK(memcmp(packet.data(), write, sizeof write) == 0);

  head = {};
  head.opcode = service::kReliableConnection | operation::kAtomicAcknowledge;
  head.pkey = 0xffff;
  head.psn = 1;
  head.syndrome = syndrome::kAck;
  head.msn = 0x010203;
  head.original = 0x0102030405060708;
  const uint8_t answer[] = {0x1f, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8};  // AETH, AtomicAckETH
  packet.assign(packetSize(to, head.opcode, 0), 0xff);
  writePacket(packet.data(), port(0x10), to, head, 0);
  CHECK(packet.size() == 8 + 12 + sizeof answer && memcmp(packet.data() + 20, answer, sizeof answer) == 0);

  head.opcode = service::kReliableConnection | operation::kCompareSwap;
  head.address = 0x1000;
  head.rkey = 7;
  head.swapAdd = 2;
  head.compare = 3;
  const uint8_t request[] = {0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3};
  packet.assign(packetSize(to, head.opcode, 0), 0xff);
  writePacket(packet.data(), port(0x10), to, head, 0);
  CHECK(packet.size() == 8 + 12 + sizeof request && memcmp(packet.data() + 20, request, sizeof request) == 0);
}

// Every opcode of RC, UC and UD reads back as it was written; nothing shorter does.
void transportRoundTrips() {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    for (bool isGlobal : {false, true}) {
      AddressVector to;
      to.dlid = 0x22;
      to.isGlobal = isGlobal;
      TransportHead head;
      head.opcode = static_cast<uint8_t>(opcode);
      head.psn = 0x123456;
      head.destQpn = 0x654321;
      head.syndrome = 0x61;
      head.qkey = 0x11;
      head.address = 0x2000;
      head.immediate = 9;
      Bytes packet(packetSize(to, head.opcode, 6));
      memset(writePacket(packet.data(), port(0x10), to, head, 6), 'x', 6);
      auto got = parsePacket(packet);
      bool isKnown = opcode <= 0x14 || (opcode >= 0x20 && opcode <= 0x2b) || opcode == 0x64 || opcode == 0x65;
      CHECK(got.has_value() == isKnown);
      if (!got) continue;
      CHECK(got->head.psn == head.psn && got->head.destQpn == head.destQpn && got->payload.size() == 6 && got->payload[5] == 'x');
      CHECK((got->grh != nullptr) == isGlobal && got->dlid == 0x22 && got->slid == 0x10);
      size_t least = packet.size() - 6;
      for (size_t length = 0; length < least; ++length) CHECK(!parsePacket(ByteView(packet).first(length)));
    }
  }
}

void randomPackets() {
  std::mt19937 random(5);
  PortState receiver = port(1);
  for (int i = 0; i < 100000; ++i) {
    Bytes packet(random() % 400);
    for (uint8_t &byte : packet) byte = static_cast<uint8_t>(random());
    auto got = parseMadPacket(receiver, packet);
    CHECK(!got || got->mad.size() == mad::kSize);
    auto transport = parsePacket(packet);
    CHECK(!transport || transport->payload.size() <= packet.size() - 20);
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
  transportHeaders();
  transportRoundTrips();
  randomPackets();
  randomPages();
  return 0;
}
