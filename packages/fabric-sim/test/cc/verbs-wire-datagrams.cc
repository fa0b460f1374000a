// Datagrams between two processes, and multicast among several.
#include "verbs-wire.h"
#include "wire-peer.h"

using namespace test;

namespace {
vb_ibv_port_attr portOf(Fixture &f) {
  vb_ibv_port_attr port = {};
  CHECK(ibv_query_port(f.context, 1, &port) == 0);
  return port;
}
}  // namespace

void datagrams(bool isA) {
  Datagrams d;
  if (isA) {
    meet();
    vb_ibv_gid gid = {};
    CHECK(ibv_query_gid(d.f.context, 1, 0, &gid) == 0);
    gid.raw[15] ^= 1;  // a GRH is for routers; switches look at the LID
    vb_ibv_ah *plain = d.handle(static_cast<uint16_t>(d.peer.lid));
    vb_ibv_ah *global = d.handle(static_cast<uint16_t>(d.peer.lid), &gid);
    fill(d.memory, 0, 2048, 1);
    d.send(plain, d.peer.qpn, 101);
    // Lost: another Q_Key, a number that is nobody's.
    d.send(plain, d.peer.qpn, 102, kQkey + 1);
    d.send(plain, d.peer.qpn + 50, 103);
    CHECK(d.receive(9, 4096, 2048) == 0);
    d.send(global, d.peer.qpn, 2048, kQkey, VB_IBV_WR_SEND_WITH_IMM);
    vb_ibv_wc wc = d.f.await();
    CHECK(wc.wr_id == 9 && wc.byte_len == 40 + 5 && wc.src_qp == d.peer.qpn && wc.slid == d.peer.lid && wc.wc_flags == VB_IBV_WC_GRH);
    CHECK(memcmp(&d.memory.bytes[4096 + 40], "reply", 5) == 0);
    CHECK(ibv_destroy_ah(plain) == 0 && ibv_destroy_ah(global) == 0);
    return;
  }
  CHECK(d.receive(1, 0, 4096) == 0 && d.receive(2, 8192, 4096) == 0);
  meet();
  vb_ibv_wc wc = d.f.await();
  CHECK(wc.wr_id == 1 && wc.status == VB_IBV_WC_SUCCESS && wc.byte_len == 141 && wc.src_qp == d.peer.qpn && wc.slid == d.peer.lid);
  CHECK(wc.wc_flags == 0 && wc.sl == 3 && holds(d.memory, 40, 101, 1));
  wc = d.f.await();
  CHECK(wc.wr_id == 2 && wc.byte_len == 40 + 2048 && wc.wc_flags == (VB_IBV_WC_GRH | VB_IBV_WC_WITH_IMM) && wc.be_imm_data == 0x01020304);
  CHECK(holds(d.memory, 8192 + 40, 2048, 1));
  // The one that came with another Q_Key, which the fabric hears of and shows.
  while (portOf(d.f).qkey_viol_cntr == 0) sched_yield();
  CHECK(portOf(d.f).qkey_viol_cntr == 1 && portOf(d.f).bad_pkey_cntr == 0);
  // GRH: version 6, traffic class, flow label; BTH, DETH, immediate data, payload and ICRC behind it; IBA; hop limit.
  const uint8_t head[] = {0x65, 0xa1, 0x23, 0x45, (12 + 8 + 4 + 2048 + 4) >> 8, (12 + 8 + 4 + 2048 + 4) & 0xff, 0x1b, 9};
  CHECK(memcmp(&d.memory.bytes[8192], head, sizeof head) == 0);
  // The sender's GID turned round is the way back; ours it is not, so the table's first stands in.
  auto *grh = reinterpret_cast<vb_ibv_grh *>(&d.memory.bytes[8192]);
  vb_ibv_gid own = {};
  CHECK(ibv_query_gid(d.f.context, 1, 0, &own) == 0);
  memcpy(grh->dgid.raw, own.raw, 16);
  vb_ibv_ah *back = ibv_create_ah_from_wc(d.f.pd, &wc, grh, 1);
  CHECK(back != nullptr);
  memcpy(d.memory.bytes.data(), "reply", 5);
  d.send(back, wc.src_qp, 5);
  CHECK(ibv_destroy_ah(back) == 0);
}

// `a` sends; `b` and whoever else runs this role are members, and `a` is one itself.
void multicast(bool isA) {
  Datagrams d(false);
  vb_ibv_gid group = {};
  group.raw[0] = 0xff;
  group.raw[1] = 0x12;
  group.raw[15] = 0x42;
  CHECK(ibv_attach_mcast(d.pair.qp, &group, 0xc001) == 0);
  CHECK(d.receive(1, 4096, 4096) == 0 && d.receive(2, 8192, 4096) == 0);
  ask("attached");
  if (isA) {
    vb_ibv_ah *ah = d.handle(0xc001, &group);
    fill(d.memory, 0, 500, 4);
    vb_ibv_send_wr wr = {};
    wr.opcode = VB_IBV_WR_SEND;
    wr.wr.ud = {ah, 0xffffff, kQkey};
    CHECK(d.pair.send(wr, d.memory.sge(0, 500)) == 0);
    CHECK(ibv_destroy_ah(ah) == 0);
  }
  vb_ibv_wc wc = d.f.await();
  CHECK(wc.wr_id == 1 && wc.status == VB_IBV_WC_SUCCESS && wc.byte_len == 540 && wc.wc_flags == VB_IBV_WC_GRH);
  CHECK(holds(d.memory, 4096 + 40, 500, 4) && memcmp(&d.memory.bytes[4096 + 24], group.raw, 16) == 0);
  ask("received");
  // One each.
  CHECK(d.f.poll(&wc) == 0);
  CHECK(ibv_detach_mcast(d.pair.qp, &group, 0xc001) == 0);
}

// Another partition, or no partition in common: nothing arrives.
void partitions(bool isA) {
  Datagrams d;
  if (!isA) CHECK(d.receive(1, 0, 4096) == 0 && d.receive(2, 8192, 4096) == 0);
  meet();
  if (!isA) {
    CHECK(d.f.await().byte_len == 40 + 20);
    while (portOf(d.f).bad_pkey_cntr == 0) sched_yield();
    CHECK(portOf(d.f).bad_pkey_cntr == 1 && portOf(d.f).qkey_viol_cntr == 0);
    meet();
    return;
  }
  vb_ibv_ah *ah = d.handle(static_cast<uint16_t>(d.peer.lid));
  vb_ibv_qp_attr a = {};
  a.qp_state = VB_IBV_QPS_RTR;
  Pair other(d.f, VB_IBV_QPT_UD);
  a.qp_state = VB_IBV_QPS_INIT;
  a.port_num = 1;
  a.pkey_index = 1;
  a.qkey = kQkey;
  CHECK(other.modify(a, VB_IBV_QP_STATE | VB_IBV_QP_PKEY_INDEX | VB_IBV_QP_PORT | VB_IBV_QP_QKEY) == 0);
  other.toRtr(0, 0);
  other.toRts();
  vb_ibv_send_wr wr = {};
  wr.opcode = VB_IBV_WR_SEND;
  wr.wr.ud = {ah, d.peer.qpn, kQkey};
  CHECK(other.send(wr, d.memory.sge(0, 10)) == 0);
  CHECK(d.pair.send(wr, d.memory.sge(0, 20)) == 0);
  meet();
  CHECK(ibv_destroy_ah(ah) == 0);
}

// Many small datagrams at once: more than the fabric is given to hold.
void flood(bool isA) {
  constexpr uint32_t kCount = 10000;
  Datagrams d(true, kCount);
  if (isA) {
    vb_ibv_ah *ah = d.handle(static_cast<uint16_t>(d.peer.lid));
    meet();
    for (uint32_t i = 0; i < kCount; ++i) {
      vb_ibv_send_wr wr = {};
      wr.wr_id = i;
      wr.opcode = VB_IBV_WR_SEND;
      wr.send_flags = VB_IBV_SEND_SIGNALED;
      wr.wr.ud = {ah, d.peer.qpn, kQkey};
      CHECK(d.pair.send(wr, d.memory.sge(0, 1024)) == 0);
    }
    for (uint32_t i = 0; i < kCount; ++i) {
      vb_ibv_wc wc = d.f.await();
      CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == i);
    }
    meet();
    CHECK(ibv_destroy_ah(ah) == 0);
    return;
  }
  for (uint32_t i = 0; i < kCount; ++i) CHECK(d.receive(i, 2048, 2048) == 0);
  meet();
  for (uint32_t i = 0; i < kCount; ++i) {
    vb_ibv_wc wc = d.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.byte_len == 1064 && wc.wr_id == i);
  }
  meet();
}
