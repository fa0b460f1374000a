// The verbs of libfabricsim.so by their own names, and small wrappers that the scenarios of verbs-loopback share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "verbena/ibverbs-abi.h"

#define DECLARE(name, version, result, arguments) extern "C" result name arguments;
VB_IBVERBS_CONTROL_FUNCTIONS(DECLARE)
VB_IBVERBS_DATA_FUNCTIONS(DECLARE)
#undef DECLARE

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

namespace test {

constexpr int kAllAccess =
    VB_IBV_ACCESS_LOCAL_WRITE | VB_IBV_ACCESS_REMOTE_WRITE | VB_IBV_ACCESS_REMOTE_READ | VB_IBV_ACCESS_REMOTE_ATOMIC;
constexpr uint32_t kQkey = 0x11111111;

struct Memory {
  std::vector<uint8_t> bytes;
  vb_ibv_mr *mr;
  Memory(vb_ibv_pd *pd, size_t size, int access = kAllAccess) : bytes(size), mr(ibv_reg_mr(pd, bytes.data(), size, access)) {
    CHECK(mr != nullptr);
  }
  ~Memory() { CHECK(ibv_dereg_mr(mr) == 0); }
  uint64_t address(size_t offset = 0) { return reinterpret_cast<uint64_t>(bytes.data() + offset); }
  vb_ibv_sge sge(size_t offset, size_t length) { return {address(offset), static_cast<uint32_t>(length), mr->lkey}; }
};

// A device, a domain, a channel and a completion queue on it.
struct Fixture {
  vb_ibv_context *context;
  vb_ibv_pd *pd;
  vb_ibv_comp_channel *channel;
  vb_ibv_cq *cq;
  vb_ibv_port_attr port = {};

  explicit Fixture(int depth = 256) {
    vb_ibv_device **list = ibv_get_device_list(nullptr);
    CHECK(list != nullptr && list[0] != nullptr);
    context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    CHECK(context != nullptr);
    CHECK(ibv_query_port(context, 1, &port) == 0);
    pd = ibv_alloc_pd(context);
    channel = ibv_create_comp_channel(context);
    cq = ibv_create_cq(context, depth, this, channel, 0);
    CHECK(pd != nullptr && channel != nullptr && cq != nullptr);
  }
  ~Fixture() {
    CHECK(ibv_destroy_cq(cq) == 0);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
    CHECK(ibv_dealloc_pd(pd) == 0);
    CHECK(ibv_close_device(context) == 0);
  }

  int poll(vb_ibv_wc *out, int count = 1) { return context->ops.poll_cq(cq, count, out); }
  vb_ibv_wc next() {
    vb_ibv_wc wc = {};
    CHECK(poll(&wc) == 1);
    return wc;
  }
  // Waits for one on the channel.
  vb_ibv_wc await() {
    vb_ibv_wc wc = {};
    for (;;) {
      CHECK(context->ops.req_notify_cq(cq, 0) == 0);
      if (poll(&wc) == 1) return wc;
      vb_ibv_cq *which = nullptr;
      void *userContext = nullptr;
      CHECK(ibv_get_cq_event(channel, &which, &userContext) == 0 && which == cq && userContext == this);
      ibv_ack_cq_events(cq, 1);
      // It may tell of one that was polled before.
    }
  }
};

struct Pair {
  Fixture &f;
  vb_ibv_qp *qp;

  Pair(Fixture &fixture, int type, vb_ibv_srq *srq = nullptr, bool signalsAll = false, uint32_t depth = 128) : f(fixture) {
    vb_ibv_qp_init_attr init = {};
    init.send_cq = init.recv_cq = f.cq;
    init.srq = srq;
    init.cap = {depth, depth, 4, 4, 256};
    init.qp_type = type;
    init.sq_sig_all = signalsAll ? 1 : 0;
    qp = ibv_create_qp(f.pd, &init);
    CHECK(qp != nullptr && qp->qp_num > 1);
  }
  // Takes over one that was made another way.
  Pair(Fixture &fixture, vb_ibv_qp *made) : f(fixture), qp(made) { CHECK(qp != nullptr); }
  ~Pair() { CHECK(ibv_destroy_qp(qp) == 0); }

  int modify(vb_ibv_qp_attr attributes, int mask) { return ibv_modify_qp(qp, &attributes, mask); }
  void init(int access = kAllAccess) {
    vb_ibv_qp_attr a = {};
    a.qp_state = VB_IBV_QPS_INIT;
    a.port_num = 1;
    a.qkey = kQkey;
    a.qp_access_flags = static_cast<unsigned>(access);
    bool isUd = qp->qp_type == VB_IBV_QPT_UD;
    CHECK(modify(a, VB_IBV_QP_STATE | VB_IBV_QP_PKEY_INDEX | VB_IBV_QP_PORT | (isUd ? VB_IBV_QP_QKEY : VB_IBV_QP_ACCESS_FLAGS)) == 0);
  }
  void toRtr(uint32_t peer, uint16_t dlid) {
    vb_ibv_qp_attr a = {};
    a.qp_state = VB_IBV_QPS_RTR;
    a.path_mtu = 5;
    a.dest_qp_num = peer;
    a.max_dest_rd_atomic = 4;
    a.min_rnr_timer = 1;
    a.ah_attr.dlid = dlid;
    a.ah_attr.port_num = 1;
    int mask = VB_IBV_QP_STATE;
    if (qp->qp_type != VB_IBV_QPT_UD) mask |= VB_IBV_QP_AV | VB_IBV_QP_PATH_MTU | VB_IBV_QP_DEST_QPN | VB_IBV_QP_RQ_PSN;
    if (qp->qp_type == VB_IBV_QPT_RC) mask |= VB_IBV_QP_MAX_DEST_RD_ATOMIC | VB_IBV_QP_MIN_RNR_TIMER;
    CHECK(modify(a, mask) == 0);
  }
  void toRts(uint8_t rnrRetry = 7, uint8_t retries = 1, uint8_t timeout = 8) {
    vb_ibv_qp_attr a = {};
    a.qp_state = VB_IBV_QPS_RTS;
    a.timeout = timeout;
    a.retry_cnt = retries;
    a.rnr_retry = rnrRetry;
    a.max_rd_atomic = 4;
    int mask = VB_IBV_QP_STATE | VB_IBV_QP_SQ_PSN;
    if (qp->qp_type == VB_IBV_QPT_RC) {
      mask |= VB_IBV_QP_TIMEOUT | VB_IBV_QP_RETRY_CNT | VB_IBV_QP_RNR_RETRY | VB_IBV_QP_MAX_QP_RD_ATOMIC;
    }
    CHECK(modify(a, mask) == 0);
  }
  void connect(const Pair &peer, uint8_t rnrRetry = 7, int access = kAllAccess) {
    init(access);
    toRtr(peer.qp->qp_num, f.port.lid);
    toRts(rnrRetry);
  }
  int receive(uint64_t wrId, vb_ibv_sge sge) {
    vb_ibv_recv_wr wr = {wrId, nullptr, &sge, 1};
    vb_ibv_recv_wr *bad = nullptr;
    return f.context->ops.post_recv(qp, &wr, &bad);
  }
  int send(vb_ibv_send_wr wr, vb_ibv_sge sge) {
    wr.sg_list = &sge;
    wr.num_sge = 1;
    vb_ibv_send_wr *bad = nullptr;
    return f.context->ops.post_send(qp, &wr, &bad);
  }
  int send(uint64_t wrId, vb_ibv_sge sge, unsigned flags = VB_IBV_SEND_SIGNALED) {
    vb_ibv_send_wr wr = {};
    wr.wr_id = wrId;
    wr.opcode = VB_IBV_WR_SEND;
    wr.send_flags = flags;
    return send(wr, sge);
  }
};

// Two queue pairs of one device, connected with each other.
struct Connected {
  Pair a;
  Pair b;
  Connected(Fixture &f, int type, uint8_t rnrRetry = 7, int access = kAllAccess, vb_ibv_srq *srqOfB = nullptr)
      : a(f, type), b(f, type, srqOfB) {
    a.connect(b, rnrRetry, access);
    b.connect(a, rnrRetry, access);
  }
};

}  // namespace test
