// What the two programs of a verbs-wire scenario say to each other and to whoever runs the fabric, and what both of them have.
#pragma once

#include <deque>
#include <string>

#include "verbs-api.h"

namespace test {

constexpr uint32_t kMtu = 1024;  // code 3
constexpr size_t kBuffer = 1 << 20;

inline void say(const std::string &line) {
  printf("%s\n", line.c_str());
  fflush(stdout);
}
inline std::deque<std::string> heard;
inline std::string read() {
  char line[256];
  CHECK(fgets(line, sizeof line, stdin) != nullptr);
  return std::string(line, strcspn(line, "\n"));
}
inline std::string hear() {
  if (heard.empty()) return read();
  std::string line = heard.front();
  heard.pop_front();
  return line;
}
inline void ask(const std::string &request) {
  say("! " + request);
  // The other one may have said something meanwhile.
  for (std::string line = read(); line != "done"; line = read()) heard.push_back(line);
}
// Waits until the other one is as far.
inline void meet() {
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
inline Remote introduce(uint32_t qpn, uint16_t lid, uint64_t address, uint32_t rkey) {
  char line[128];
  snprintf(line, sizeof line, "> %u %u %llu %u", qpn, lid, static_cast<unsigned long long>(address), rkey);
  say(line);
  Remote peer;
  CHECK(sscanf(hear().c_str(), "%u %u %llu %u", &peer.qpn, &peer.lid, &peer.address, &peer.rkey) == 4);
  return peer;
}

inline uint8_t patternAt(size_t index, size_t seed) { return static_cast<uint8_t>(index * 7 + (index >> 8) + seed * 31 + 1); }
inline void fill(Memory &memory, size_t offset, size_t length, size_t seed) {
  for (size_t i = 0; i < length; ++i) memory.bytes[offset + i] = patternAt(i, seed);
}
inline bool holds(const Memory &memory, size_t offset, size_t length, size_t seed) {
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

  explicit Line(int type, uint8_t rnrRetry = 7, uint8_t retries = 7, uint8_t timeout = 14)
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

  // Between what this thread and what the other program does to our memory: they agree by other ways, which ThreadSanitizer does not see.
  void handOver() {
    vb_ibv_wc none;
    CHECK(f.poll(&none) == 0);
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

}  // namespace test
