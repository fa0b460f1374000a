// Scenarios between queue pairs of two processes, each on a simulated node: `verbs-wire SCENARIO a|b`. Lines that begin with `>` go to the
// other one's standard input, lines that begin with `!` to whoever runs the fabric, who answers; each ends with `ok` or says what it expected.
#include <errno.h>

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "verbs-api.h"

using namespace test;

namespace {

constexpr uint32_t kMtu = 1024;  // code 3
constexpr size_t kBuffer = 1 << 20;

void say(const std::string &line) {
  printf("%s\n", line.c_str());
  fflush(stdout);
}
std::deque<std::string> heard;
std::string read() {
  char line[256];
  CHECK(fgets(line, sizeof line, stdin) != nullptr);
  return std::string(line, strcspn(line, "\n"));
}
std::string hear() {
  if (heard.empty()) return read();
  std::string line = heard.front();
  heard.pop_front();
  return line;
}
void ask(const std::string &request) {
  say("! " + request);
  // The other one may have said something meanwhile.
  for (std::string line = read(); line != "done"; line = read()) heard.push_back(line);
}
// Waits until the other one is as far.
void meet() {
  say("> here");
  CHECK(hear() == "here");
}

struct Remote {
  unsigned qpn;
  unsigned lid;
  unsigned long long address;
  unsigned rkey;
};

// Tells the other one of us, and hears of it.
Remote introduce(uint32_t qpn, uint16_t lid, uint64_t address, uint32_t rkey) {
  char line[128];
  snprintf(line, sizeof line, "> %u %u %llu %u", qpn, lid, static_cast<unsigned long long>(address), rkey);
  say(line);
  Remote peer;
  CHECK(sscanf(hear().c_str(), "%u %u %llu %u", &peer.qpn, &peer.lid, &peer.address, &peer.rkey) == 4);
  return peer;
}

uint8_t patternAt(size_t index, size_t seed) { return static_cast<uint8_t>(index * 7 + (index >> 8) + seed * 31 + 1); }
void fill(Memory &memory, size_t offset, size_t length, size_t seed) {
  for (size_t i = 0; i < length; ++i) memory.bytes[offset + i] = patternAt(i, seed);
}
bool holds(const Memory &memory, size_t offset, size_t length, size_t seed) {
  for (size_t i = 0; i < length; ++i) {
    if (memory.bytes[offset + i] != patternAt(i, seed)) return false;
  }
  return true;
}

// A connected queue pair, and its memory of two halves: what is sent, what is received.
struct Line {
  Fixture f;
  Memory memory;
  Pair pair;
  Remote peer;

  explicit Line(int type, uint8_t rnrRetry = 7, uint8_t retries = 7, uint8_t timeout = 12)
      : f(1024), memory(f.pd, 2 * kBuffer), pair(f, type, nullptr, false, 256) {
    pair.init();
    peer = introduce(pair.qp->qp_num, f.port.lid, memory.address(kBuffer), memory.mr->rkey);
    vb_ibv_qp_attr a = {};
    a.qp_state = VB_IBV_QPS_RTR;
    a.path_mtu = 3;
    a.dest_qp_num = peer.qpn;
    a.rq_psn = 0xfffff0;  // they come round soon
    a.max_dest_rd_atomic = 4;
    a.min_rnr_timer = 1;
    a.ah_attr.dlid = static_cast<uint16_t>(peer.lid);
    a.ah_attr.port_num = 1;
    int mask = VB_IBV_QP_STATE | VB_IBV_QP_AV | VB_IBV_QP_PATH_MTU | VB_IBV_QP_DEST_QPN | VB_IBV_QP_RQ_PSN;
    if (type == VB_IBV_QPT_RC) mask |= VB_IBV_QP_MAX_DEST_RD_ATOMIC | VB_IBV_QP_MIN_RNR_TIMER;
    CHECK(pair.modify(a, mask) == 0);
    a = {};
    a.qp_state = VB_IBV_QPS_RTS;
    a.sq_psn = 0xfffff0;
    a.timeout = timeout;
    a.retry_cnt = retries;
    a.rnr_retry = rnrRetry;
    a.max_rd_atomic = 4;
    mask = VB_IBV_QP_STATE | VB_IBV_QP_SQ_PSN;
    if (type == VB_IBV_QPT_RC) {
      mask |= VB_IBV_QP_TIMEOUT | VB_IBV_QP_RETRY_CNT | VB_IBV_QP_RNR_RETRY | VB_IBV_QP_MAX_QP_RD_ATOMIC;
    }
    CHECK(pair.modify(a, mask) == 0);
  }

  int receive(uint64_t wrId, size_t length, size_t offset = 0) { return pair.receive(wrId, memory.sge(kBuffer + offset, length)); }
  vb_ibv_send_wr request(int opcode, uint64_t wrId = 0) {
    vb_ibv_send_wr wr = {};
    wr.wr_id = wrId;
    wr.opcode = opcode;
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    wr.wr.rdma = {peer.address, peer.rkey};
    return wr;
  }
  void expectSent(uint64_t wrId, int opcode) {
    vb_ibv_wc wc = f.await();
    if (wc.status != VB_IBV_WC_SUCCESS) fprintf(stderr, "status %d\n", wc.status);
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == wrId && wc.opcode == opcode);
  }
  int state() {
    vb_ibv_qp_attr now;
    vb_ibv_qp_init_attr init;
    CHECK(ibv_query_qp(pair.qp, &now, VB_IBV_QP_STATE, &init) == 0);
    return now.qp_state;
  }
  int nextEvent() {
    vb_ibv_async_event event;
    CHECK(ibv_get_async_event(f.context, &event) == 0);
    ibv_ack_async_event(&event);
    return event.event_type;
  }
};

const size_t kSizes[] = {0, 1, kMtu - 1, kMtu, kMtu + 1, 5 * kMtu, 100000, 300001};

// Messages of all sizes, each waited for; the last ones in a crowd.
void messages(bool isA) {
  Line line(VB_IBV_QPT_RC);
  size_t number = 0;
  for (size_t size : kSizes) {
    ++number;
    if (isA) {
      fill(line.memory, 0, size, number);
      vb_ibv_send_wr wr = line.request(VB_IBV_WR_SEND_WITH_IMM, number);
      wr.be_imm_data = 0x0a0b0c0d;
      meet();
      CHECK(line.pair.send(wr, line.memory.sge(0, size)) == 0);
      line.expectSent(number, VB_IBV_WC_SEND);
    } else {
      CHECK(line.receive(number, kBuffer) == 0);
      meet();
      vb_ibv_wc wc = line.f.await();
      CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == number && wc.byte_len == size && wc.opcode == VB_IBV_WC_RECV);
      CHECK(wc.wc_flags == VB_IBV_WC_WITH_IMM && wc.be_imm_data == 0x0a0b0c0d);
      CHECK(wc.src_qp == line.peer.qpn && wc.slid == line.peer.lid && wc.qp_num == line.pair.qp->qp_num);
      CHECK(holds(line.memory, kBuffer, size, number));
    }
  }
  constexpr size_t kCrowd = 200;
  constexpr size_t kSlot = 3000;
  if (!isA) {
    for (size_t i = 0; i < kCrowd; ++i) CHECK(line.receive(i, kSlot, i * kSlot) == 0);
  }
  meet();
  for (size_t i = 0; isA && i < kCrowd; ++i) {
    fill(line.memory, i * kSlot, kSlot, i);
    CHECK(line.pair.send(i, line.memory.sge(i * kSlot, kSlot)) == 0);
  }
  for (size_t i = 0; i < kCrowd; ++i) {
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == i);
    CHECK(isA || (wc.byte_len == kSlot && holds(line.memory, kBuffer + i * kSlot, kSlot, i)));
  }
  meet();
}

// Writes, reads and atomics; the other one does nothing but wait.
void remoteMemory(bool isA) {
  Line line(VB_IBV_QPT_RC);
  if (!isA) {
    fill(line.memory, kBuffer, kBuffer, 0);
    CHECK(line.receive(77, 0) == 0);
    meet();
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == 77 && wc.opcode == VB_IBV_WC_RECV_RDMA_WITH_IMM && wc.byte_len == 70000);
    CHECK(wc.be_imm_data == 5 && holds(line.memory, kBuffer, 70000, 3));
    meet();
    meet();
    uint64_t cell;
    memcpy(&cell, &line.memory.bytes[kBuffer], sizeof cell);
    CHECK(cell == 1000 + 100);
    return;
  }
  meet();
  for (size_t size : kSizes) {
    memset(line.memory.bytes.data(), 0, kBuffer);
    CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_READ, size), line.memory.sge(0, size)) == 0);
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == size && wc.opcode == VB_IBV_WC_RDMA_READ && wc.byte_len == size);
    CHECK(holds(line.memory, 0, size, 0) && line.memory.bytes[size] == 0);
  }
  // A write, and a read behind it that sees it; more reads than may be in flight.
  fill(line.memory, 0, 70000, 3);
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_WRITE, 1), line.memory.sge(0, 70000)) == 0);
  for (size_t i = 0; i < 10; ++i) {
    vb_ibv_send_wr read = line.request(VB_IBV_WR_RDMA_READ, 2);
    read.wr.rdma.remote_addr += i * 7000;
    CHECK(line.pair.send(read, line.memory.sge(100000 + i * 7000, 7000)) == 0);
  }
  line.expectSent(1, VB_IBV_WC_RDMA_WRITE);
  for (int i = 0; i < 10; ++i) line.expectSent(2, VB_IBV_WC_RDMA_READ);
  CHECK(holds(line.memory, 100000, 70000, 3));
  vb_ibv_send_wr told = line.request(VB_IBV_WR_RDMA_WRITE_WITH_IMM, 3);
  told.be_imm_data = 5;
  CHECK(line.pair.send(told, line.memory.sge(0, 70000)) == 0);
  line.expectSent(3, VB_IBV_WC_RDMA_WRITE);
  meet();
  // Each atomic is done once, whatever is lost or doubled.
  uint64_t start = 1000;
  memcpy(line.memory.bytes.data(), &start, sizeof start);
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_WRITE, 4), line.memory.sge(0, 8)) == 0);
  line.expectSent(4, VB_IBV_WC_RDMA_WRITE);
  for (uint64_t i = 0; i < 100; ++i) {
    vb_ibv_send_wr add = line.request(i % 2 == 0 ? VB_IBV_WR_ATOMIC_FETCH_AND_ADD : VB_IBV_WR_ATOMIC_CMP_AND_SWP, 5);
    add.wr.atomic = {line.peer.address, i % 2 == 0 ? 1 : start + i, start + i + 1, line.peer.rkey};
    CHECK(line.pair.send(add, line.memory.sge(8 * i, 8)) == 0);
  }
  for (uint64_t i = 0; i < 100; ++i) {
    line.expectSent(5, i % 2 == 0 ? VB_IBV_WC_FETCH_ADD : VB_IBV_WC_COMP_SWAP);
    uint64_t before;
    memcpy(&before, &line.memory.bytes[8 * i], sizeof before);
    CHECK(before == start + i);
  }
  meet();
}

// Unreliable: what arrives is whole and in order, wherever the gaps are.
void unreliable(bool isA) {
  Line line(VB_IBV_QPT_UC);
  constexpr uint32_t kCount = 200;
  constexpr size_t kLength = 4 * kMtu;
  if (isA) {
    meet();
    for (uint32_t i = 0; i < kCount; ++i) {
      fill(line.memory, 0, kLength, i);
      vb_ibv_send_wr wr = line.request(i % 2 == 0 ? VB_IBV_WR_SEND_WITH_IMM : VB_IBV_WR_RDMA_WRITE_WITH_IMM, i);
      wr.be_imm_data = i;
      CHECK(line.pair.send(wr, line.memory.sge(0, kLength)) == 0);
      CHECK(line.f.await().status == VB_IBV_WC_SUCCESS);
    }
    ask("no faults");
    // Enough that the last of them is complete.
    vb_ibv_send_wr last = line.request(VB_IBV_WR_SEND_WITH_IMM, kCount);
    last.be_imm_data = kCount;
    CHECK(line.pair.send(last, line.memory.sge(0, 1)) == 0);
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS);
    meet();
    return;
  }
  for (uint32_t i = 0; i < kCount + 1; ++i) CHECK(line.receive(i, kLength, kBuffer / 2) == 0);
  meet();
  uint32_t count = 0;
  int64_t before = -1;
  for (;;) {
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == count && wc.be_imm_data > before);
    before = wc.be_imm_data;
    if (wc.be_imm_data == kCount) break;
    CHECK(wc.byte_len == kLength && wc.opcode == (wc.be_imm_data % 2 == 0 ? VB_IBV_WC_RECV : VB_IBV_WC_RECV_RDMA_WITH_IMM));
    ++count;
  }
  say("received " + std::to_string(count));
  meet();
}

struct Datagrams {
  Fixture f;
  Memory memory;
  Pair pair;
  Remote peer;
  explicit Datagrams(bool isIntroduced = true, uint32_t depth = 128)
      : f(static_cast<int>(2 * depth)), memory(f.pd, 1 << 16), pair(f, VB_IBV_QPT_UD, nullptr, false, depth), peer{} {
    pair.init();
    pair.toRtr(0, 0);
    pair.toRts();
    if (isIntroduced) peer = introduce(pair.qp->qp_num, f.port.lid, 0, 0);
  }
  int receive(uint64_t wrId, size_t offset, size_t length) { return pair.receive(wrId, memory.sge(offset, length)); }
  vb_ibv_ah *handle(uint16_t dlid, const vb_ibv_gid *gid = nullptr) {
    vb_ibv_ah_attr to = {};
    to.dlid = dlid;
    to.port_num = 1;
    to.sl = 3;
    if (gid != nullptr) {
      to.is_global = 1;
      to.grh.dgid = *gid;
      to.grh.hop_limit = 9;
      to.grh.traffic_class = 0x5a;
      to.grh.flow_label = 0x12345;
    }
    vb_ibv_ah *ah = ibv_create_ah(f.pd, &to);
    CHECK(ah != nullptr);
    return ah;
  }
  void send(vb_ibv_ah *ah, uint32_t qpn, size_t length, uint32_t qkey = kQkey, int opcode = VB_IBV_WR_SEND) {
    vb_ibv_send_wr wr = {};
    wr.opcode = opcode;
    wr.be_imm_data = 0x01020304;
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    wr.wr.ud = {ah, qpn, qkey};
    CHECK(pair.send(wr, memory.sge(0, length)) == 0);
    CHECK(f.await().status == VB_IBV_WC_SUCCESS);
  }
};

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

void receiverNotReady(bool isA) {
  {
    Line line(VB_IBV_QPT_RC);
    if (isA) {
      CHECK(line.pair.send(1, line.memory.sge(0, 5000)) == 0);
      CHECK(line.pair.send(2, line.memory.sge(0, 10)) == 0);
      ask("some time");
      vb_ibv_wc none;
      CHECK(line.f.poll(&none) == 0);
      meet();
      line.expectSent(1, VB_IBV_WC_SEND);
      line.expectSent(2, VB_IBV_WC_SEND);
    } else {
      meet();
      CHECK(line.receive(1, 5000) == 0 && line.receive(2, 5000) == 0);
      CHECK(line.f.await().wr_id == 1 && line.f.await().wr_id == 2);
    }
    meet();
  }
  Line line(VB_IBV_QPT_RC, 2);
  if (isA) {
    CHECK(line.pair.send(1, line.memory.sge(0, 10)) == 0 && line.pair.send(2, line.memory.sge(0, 10)) == 0);
    CHECK(line.f.await().status == VB_IBV_WC_RNR_RETRY_EXC_ERR);
    CHECK(line.f.await().status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
  }
  meet();
}

struct Refusal {
  std::function<void(Line &)> attempt;
  int status;
  int event;
  size_t room;  // of the receive
};

void refusals(bool isA) {
  const Refusal all[] = {
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_RDMA_WRITE, 1);
         wr.wr.rdma.rkey += 1;
         CHECK(l.pair.send(wr, l.memory.sge(0, 3000)) == 0);
       },
       VB_IBV_WC_REM_ACCESS_ERR, VB_IBV_EVENT_QP_ACCESS_ERR, 0},
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_RDMA_READ, 1);
         wr.wr.rdma.remote_addr += kBuffer - 10;
         CHECK(l.pair.send(wr, l.memory.sge(0, 11)) == 0);
       },
       VB_IBV_WC_REM_ACCESS_ERR, VB_IBV_EVENT_QP_ACCESS_ERR, 0},
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_ATOMIC_FETCH_AND_ADD, 1);
         wr.wr.atomic = {l.peer.address + 4, 1, 0, l.peer.rkey};
         CHECK(l.pair.send(wr, l.memory.sge(0, 8)) == 0);
       },
       VB_IBV_WC_REM_INV_REQ_ERR, VB_IBV_EVENT_QP_REQ_ERR, 0},
      {[](Line &l) { CHECK(l.pair.send(l.request(VB_IBV_WR_SEND, 1), l.memory.sge(0, 4000)) == 0); }, VB_IBV_WC_REM_INV_REQ_ERR,
       VB_IBV_EVENT_QP_REQ_ERR, 3000},
  };
  for (const Refusal &one : all) {
    Line line(VB_IBV_QPT_RC);
    if (!isA) {
      if (one.room > 0) CHECK(line.receive(8, one.room) == 0);
      CHECK(line.receive(9, 100) == 0);
      meet();
      int first = line.nextEvent();
      CHECK((first == VB_IBV_EVENT_COMM_EST ? line.nextEvent() : first) == one.event);
      if (one.room > 0) CHECK(line.f.await().status == VB_IBV_WC_LOC_LEN_ERR);
      vb_ibv_wc wc = line.f.await();
      CHECK(wc.wr_id == 9 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
    } else {
      meet();
      one.attempt(line);
      CHECK(line.pair.send(2, line.memory.sge(0, 10)) == 0);
      vb_ibv_wc wc = line.f.await();
      CHECK(wc.wr_id == 1 && wc.status == one.status);
      wc = line.f.await();
      CHECK(wc.wr_id == 2 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
    }
    meet();
  }
}

// Nobody answers: after the last retry the send fails, and the rest is flushed. What the fabric does meanwhile is up to who runs it.
void noAnswer(bool isA) {
  Line line(VB_IBV_QPT_RC, 7, 2, 1);
  if (!isA) CHECK(line.receive(1, 100) == 0);
  meet();
  if (!isA) {
    ask("cut off");
    say("> cut off");
    meet();
    ask("state");
    vb_ibv_wc wc;
    say(line.f.poll(&wc) == 1 && wc.status == VB_IBV_WC_SUCCESS ? "received it" : "received nothing");
    return;
  }
  CHECK(hear() == "cut off");
  CHECK(line.pair.send(1, line.memory.sge(0, 50)) == 0 && line.pair.send(2, line.memory.sge(0, 50)) == 0);
  vb_ibv_wc wc = line.f.await();
  CHECK(wc.wr_id == 1 && wc.status == VB_IBV_WC_RETRY_EXC_ERR);
  wc = line.f.await();
  CHECK(wc.wr_id == 2 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
  meet();
}

// The link goes in the middle and comes back before the retries are used up.
void survives(bool isA) {
  Line line(VB_IBV_QPT_RC, 7, 7, 16);
  constexpr size_t kLength = 200000;
  if (!isA) {
    CHECK(line.receive(1, kLength) == 0 && line.receive(2, kLength) == 0);
    meet();
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS && line.f.await().status == VB_IBV_WC_SUCCESS);
    CHECK(holds(line.memory, kBuffer, kLength, 6));
    meet();
    return;
  }
  fill(line.memory, 0, kLength, 6);
  meet();
  CHECK(line.pair.send(1, line.memory.sge(0, kLength)) == 0);
  ask("link down");
  CHECK(line.pair.send(2, line.memory.sge(0, kLength)) == 0);
  ask("link up");
  line.expectSent(1, VB_IBV_WC_SEND);
  line.expectSent(2, VB_IBV_WC_SEND);
  meet();
}

// A fenced send waits for the reads before it.
void fence(bool isA) {
  Line line(VB_IBV_QPT_RC);
  if (!isA) {
    fill(line.memory, kBuffer, 50000, 2);
    CHECK(line.receive(1, 50000) == 0);
    meet();
    // What was read there comes back: it was there when the send left.
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS && holds(line.memory, kBuffer, 50000, 2));
    meet();
    return;
  }
  meet();
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_READ, 1), line.memory.sge(0, 50000)) == 0);
  vb_ibv_send_wr wr = line.request(VB_IBV_WR_SEND, 2);
  wr.send_flags |= VB_IBV_SEND_FENCE;
  CHECK(line.pair.send(wr, line.memory.sge(0, 50000)) == 0);
  line.expectSent(1, VB_IBV_WC_RDMA_READ);
  line.expectSent(2, VB_IBV_WC_SEND);
  meet();
}

// Another partition, or no partition in common: nothing arrives.
void partitions(bool isA) {
  Datagrams d;
  if (!isA) CHECK(d.receive(1, 0, 4096) == 0 && d.receive(2, 8192, 4096) == 0);
  meet();
  if (!isA) {
    CHECK(d.f.await().byte_len == 40 + 20);
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

const std::map<std::string, std::function<void(bool)>> kScenarios = {
    {"messages", messages},     {"remote-memory", remoteMemory}, {"unreliable", unreliable},
    {"datagrams", datagrams},   {"multicast", multicast},        {"receiver-not-ready", receiverNotReady},
    {"refusals", refusals},     {"no-answer", noAnswer},         {"survives", survives},
    {"fence", fence},           {"partitions", partitions},      {"flood", flood},
};

}  // namespace

int main(int argc, char **argv) {
  auto found = argc == 3 ? kScenarios.find(argv[1]) : kScenarios.end();
  if (found == kScenarios.end()) {
    fprintf(stderr, "usage: verbs-wire SCENARIO a|b\n");
    return 2;
  }
  found->second(strcmp(argv[2], "a") == 0);
  say("ok");
  return 0;
}
