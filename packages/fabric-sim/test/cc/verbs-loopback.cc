// Scenarios between queue pairs of one simulated HCA in one process; each ends with `ok` or says what it expected.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include <functional>
#include <map>
#include <string>
#include <thread>

#include "scenarios.h"
#include "verbs-api.h"
#include "verbs-loopback.h"

using namespace test;

namespace {

bool isReadable(int fd) {
  struct pollfd entry = {fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

void sendOn(int type) {
  Fixture f;
  Memory memory(f.pd, 4096);
  {
    Connected c(f, type);
    CHECK(c.b.receive(7, memory.sge(1024, 1024)) == 0);
    memcpy(memory.bytes.data(), "hello", 5);
    vb_ibv_send_wr wr = {};
    wr.wr_id = 9;
    wr.opcode = VB_IBV_WR_SEND_WITH_IMM;
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    wr.be_imm_data = 0x01020304;
    CHECK(c.a.send(wr, memory.sge(0, 5)) == 0);
    vb_ibv_wc wc = f.next();
    CHECK(wc.wr_id == 7 && wc.status == VB_IBV_WC_SUCCESS && wc.opcode == VB_IBV_WC_RECV && wc.byte_len == 5);
    CHECK(wc.wc_flags == VB_IBV_WC_WITH_IMM && wc.be_imm_data == 0x01020304 && wc.qp_num == c.b.qp->qp_num);
    CHECK(memcmp(memory.bytes.data() + 1024, "hello", 5) == 0);
    wc = f.next();
    CHECK(wc.wr_id == 9 && wc.status == VB_IBV_WC_SUCCESS && wc.opcode == VB_IBV_WC_SEND && wc.qp_num == c.a.qp->qp_num);
    // Unsignalled, inline: the buffer is the program's again at once, and nothing is told.
    CHECK(c.b.receive(8, memory.sge(2048, 16)) == 0);
    uint8_t local[16] = "inlined";
    CHECK(c.a.send(10, {reinterpret_cast<uint64_t>(local), 16, 0}, VB_IBV_SEND_INLINE) == 0);
    CHECK(f.next().wr_id == 8 && memcmp(memory.bytes.data() + 2048, "inlined", 8) == 0);
    vb_ibv_wc none;
    CHECK(f.poll(&none) == 0);
  }
}

void unreliable() {
  sendOn(VB_IBV_QPT_UC);
  Fixture f;
  Memory memory(f.pd, 64);
  Connected c(f, VB_IBV_QPT_UC);
  // Nobody receives: lost, and the sender does not know.
  CHECK(c.a.send(1, memory.sge(0, 8)) == 0);
  CHECK(f.next().status == VB_IBV_WC_SUCCESS);
}

void datagrams() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Pair a(f, VB_IBV_QPT_UD);
  Pair b(f, VB_IBV_QPT_UD);
  for (Pair *p : {&a, &b}) {
    p->init();
    p->toRtr(0, 0);
    p->toRts();
  }
  vb_ibv_ah_attr to = {};
  to.dlid = f.port.lid;
  to.port_num = 1;
  vb_ibv_ah *ah = ibv_create_ah(f.pd, &to);
  CHECK(ah != nullptr);
  vb_ibv_send_wr wr = {};
  wr.wr_id = 1;
  wr.opcode = VB_IBV_WR_SEND;
  wr.send_flags = VB_IBV_SEND_SIGNALED;
  wr.wr.ud = {ah, b.qp->qp_num, kQkey};
  CHECK(b.receive(2, memory.sge(1024, 104)) == 0);
  memcpy(memory.bytes.data(), "datagram", 8);
  CHECK(a.send(wr, memory.sge(0, 64)) == 0);
  vb_ibv_wc wc = f.next();
  CHECK(wc.wr_id == 2 && wc.byte_len == 104 && wc.src_qp == a.qp->qp_num && wc.slid == f.port.lid && wc.wc_flags == 0);
  CHECK(memcmp(memory.bytes.data() + 1024 + 40, "datagram", 8) == 0);
  CHECK(f.next().wr_id == 1);
  // A wrong Q_Key: lost.
  wr.wr.ud.remote_qkey = kQkey + 1;
  CHECK(b.receive(3, memory.sge(1024, 104)) == 0);
  CHECK(a.send(wr, memory.sge(0, 64)) == 0);
  CHECK(f.next().wr_id == 1);
  // Longer than the MTU: refused here.
  Memory large(f.pd, 8192);
  wr.wr.ud.remote_qkey = kQkey;
  CHECK(a.send(wr, large.sge(0, 4097)) == 0);
  CHECK(f.next().status == VB_IBV_WC_LOC_LEN_ERR);
  vb_ibv_qp_attr now;
  vb_ibv_qp_init_attr init;
  CHECK(ibv_query_qp(a.qp, &now, VB_IBV_QP_STATE, &init) == 0 && now.qp_state == VB_IBV_QPS_SQE);
  CHECK(ibv_destroy_ah(ah) == 0);
}

void multicast() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Pair a(f, VB_IBV_QPT_UD);
  Pair b(f, VB_IBV_QPT_UD);
  vb_ibv_gid group = {};
  group.raw[0] = 0xff;
  group.raw[15] = 1;
  for (Pair *p : {&a, &b}) {
    p->init();
    p->toRtr(0, 0);
    p->toRts();
    CHECK(ibv_attach_mcast(p->qp, &group, 0xc001) == 0);
    CHECK(p->receive(p->qp->qp_num, memory.sge(p == &a ? 1024 : 2048, 512)) == 0);
  }
  CHECK(ibv_destroy_qp(b.qp) == EBUSY);
  vb_ibv_ah_attr to = {};
  to.dlid = 0xc001;
  to.port_num = 1;
  to.is_global = 1;
  to.grh.dgid = group;
  to.grh.hop_limit = 3;
  vb_ibv_ah *ah = ibv_create_ah(f.pd, &to);
  vb_ibv_send_wr wr = {};
  wr.opcode = VB_IBV_WR_SEND;
  wr.wr.ud = {ah, 0xffffff, kQkey};
  CHECK(a.send(wr, memory.sge(0, 32)) == 0);
  vb_ibv_wc first = f.next();
  vb_ibv_wc second = f.next();
  CHECK(first.qp_num != second.qp_num && first.wc_flags == VB_IBV_WC_GRH && second.wc_flags == VB_IBV_WC_GRH);
  // The header is in front: version 6, the group's GID.
  CHECK(memory.bytes[2048] >> 4 == 6 && memory.bytes[2048 + 7] == 3 && memcmp(&memory.bytes[2048 + 24], group.raw, 16) == 0);
  vb_ibv_ah_attr back;
  auto *grh = reinterpret_cast<vb_ibv_grh *>(&memory.bytes[2048]);
  CHECK(ibv_init_ah_from_wc(f.context, 1, &second, grh, &back) == 0);
  CHECK(back.dlid == f.port.lid && back.is_global == 1 && memcmp(back.grh.dgid.raw, grh->sgid.raw, 16) == 0);
  CHECK(ibv_detach_mcast(a.qp, &group, 0xc001) == 0 && ibv_detach_mcast(a.qp, &group, 0xc001) == EINVAL);
  CHECK(ibv_detach_mcast(b.qp, &group, 0xc001) == 0);
  CHECK(ibv_destroy_ah(ah) == 0);
}

void rdma() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Memory guarded(f.pd, 64, VB_IBV_ACCESS_LOCAL_WRITE);
  Connected c(f, VB_IBV_QPT_RC);
  vb_ibv_send_wr wr = {};
  wr.wr_id = 1;
  wr.send_flags = VB_IBV_SEND_SIGNALED;
  wr.opcode = VB_IBV_WR_RDMA_WRITE;
  wr.wr.rdma = {memory.address(1024), memory.mr->rkey};
  memcpy(memory.bytes.data(), "written", 7);
  CHECK(c.a.send(wr, memory.sge(0, 7)) == 0);
  CHECK(f.next().opcode == VB_IBV_WC_RDMA_WRITE && memcmp(&memory.bytes[1024], "written", 7) == 0);
  wr.opcode = VB_IBV_WR_RDMA_READ;
  CHECK(c.a.send(wr, memory.sge(2048, 7)) == 0);
  vb_ibv_wc wc = f.next();
  CHECK(wc.opcode == VB_IBV_WC_RDMA_READ && wc.byte_len == 7 && memcmp(&memory.bytes[2048], "written", 7) == 0);
  wr.opcode = VB_IBV_WR_RDMA_WRITE_WITH_IMM;
  wr.be_imm_data = 5;
  CHECK(c.b.receive(2, memory.sge(3000, 8)) == 0);
  CHECK(c.a.send(wr, memory.sge(0, 7)) == 0);
  wc = f.next();
  CHECK(wc.opcode == VB_IBV_WC_RECV_RDMA_WITH_IMM && wc.be_imm_data == 5 && wc.byte_len == 7);
  CHECK(f.next().wr_id == 1);
  uint64_t cell = 40;
  memcpy(&memory.bytes[512], &cell, 8);
  wr.opcode = VB_IBV_WR_ATOMIC_FETCH_AND_ADD;
  wr.wr.atomic = {memory.address(512), 2, 0, memory.mr->rkey};
  CHECK(c.a.send(wr, memory.sge(600, 8)) == 0);
  CHECK(f.next().opcode == VB_IBV_WC_FETCH_ADD);
  memcpy(&cell, &memory.bytes[600], 8);
  CHECK(cell == 40);
  wr.opcode = VB_IBV_WR_ATOMIC_CMP_AND_SWP;
  wr.wr.atomic = {memory.address(512), 42, 7, memory.mr->rkey};
  CHECK(c.a.send(wr, memory.sge(600, 8)) == 0);
  CHECK(f.next().opcode == VB_IBV_WC_COMP_SWAP);
  memcpy(&cell, &memory.bytes[512], 8);
  CHECK(cell == 7);
  // Memory that does not allow it: the requester is told, both ends stop, the responder's program hears of it.
  wr.opcode = VB_IBV_WR_RDMA_WRITE;
  wr.wr.rdma = {guarded.address(), guarded.mr->rkey};
  CHECK(c.a.send(wr, memory.sge(0, 7)) == 0);
  CHECK(f.next().status == VB_IBV_WC_REM_ACCESS_ERR);
  CHECK(c.a.send(3, memory.sge(0, 7)) == 0);
  CHECK(f.next().status == VB_IBV_WC_WR_FLUSH_ERR);
  CHECK(c.b.send(4, memory.sge(0, 7)) == 0);
  CHECK(f.next().status == VB_IBV_WC_WR_FLUSH_ERR);
  vb_ibv_async_event event;
  CHECK(ibv_get_async_event(f.context, &event) == 0);
  CHECK(event.event_type == VB_IBV_EVENT_QP_ACCESS_ERR && event.element.object == c.b.qp);
  ibv_ack_async_event(&event);
}

void refusals() {
  struct Case {
    int toRequester;
    std::function<void(Fixture &, Memory &, Connected &)> act;
  };
  const std::map<std::string, Case> cases = {
      {"receive too short", {VB_IBV_WC_REM_INV_REQ_ERR, [](Fixture &, Memory &m, Connected &c) {
                               CHECK(c.b.receive(2, m.sge(0, 4)) == 0);
                               CHECK(c.a.send(1, m.sge(0, 8)) == 0);
                             }}},
      {"receive key wrong", {VB_IBV_WC_REM_OP_ERR, [](Fixture &, Memory &m, Connected &c) {
                               vb_ibv_sge sge = m.sge(0, 64);
                               sge.lkey ^= 0xff;
                               CHECK(c.b.receive(2, sge) == 0);
                               CHECK(c.a.send(1, m.sge(0, 8)) == 0);
                             }}},
      {"send key wrong", {VB_IBV_WC_LOC_PROT_ERR, [](Fixture &, Memory &m, Connected &c) {
                            vb_ibv_sge sge = m.sge(0, 64);
                            sge.lkey ^= 0xff;
                            CHECK(c.a.send(1, sge) == 0);
                          }}},
      {"beyond the region", {VB_IBV_WC_LOC_PROT_ERR, [](Fixture &, Memory &m, Connected &c) { CHECK(c.a.send(1, m.sge(4000, 97)) == 0); }}},
      {"atomic not aligned", {VB_IBV_WC_REM_INV_REQ_ERR, [](Fixture &, Memory &m, Connected &c) {
                                vb_ibv_send_wr wr = {};
                                wr.wr_id = 1;
                                wr.opcode = VB_IBV_WR_ATOMIC_FETCH_AND_ADD;
                                wr.wr.atomic = {m.address(4), 1, 0, m.mr->rkey};
                                CHECK(c.a.send(wr, m.sge(0, 8)) == 0);
                              }}},
      {"no receive", {VB_IBV_WC_RNR_RETRY_EXC_ERR, [](Fixture &, Memory &m, Connected &c) { CHECK(c.a.send(1, m.sge(0, 8)) == 0); }}},
  };
  for (const auto &[name, one] : cases) {
    Fixture f;
    Memory memory(f.pd, 4096);
    Connected c(f, VB_IBV_QPT_RC, 2);
    one.act(f, memory, c);
    vb_ibv_wc wc = {};
    do wc = f.await();
    while (wc.wr_id != 1);
    if (wc.status != one.toRequester) {
      fprintf(stderr, "%s: status %d\n", name.c_str(), wc.status);
      exit(1);
    }
    vb_ibv_async_event event;
    CHECK(fcntl(f.context->async_fd, F_SETFL, O_NONBLOCK) == 0);
    while (ibv_get_async_event(f.context, &event) == 0) ibv_ack_async_event(&event);
    CHECK(errno == EAGAIN);
  }
}

void receiverNotReady() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Connected c(f, VB_IBV_QPT_RC, 7);
  CHECK(c.a.send(1, memory.sge(0, 8)) == 0 && c.a.send(2, memory.sge(0, 8)) == 0);
  vb_ibv_wc none;
  CHECK(f.poll(&none) == 0);
  CHECK(c.b.receive(11, memory.sge(64, 8)) == 0 && c.b.receive(12, memory.sge(64, 8)) == 0);
  std::vector<uint64_t> order;
  for (int i = 0; i < 4; ++i) order.push_back(f.await().wr_id);
  CHECK((order == std::vector<uint64_t>{11, 1, 12, 2}));
}

void noPeer() {
  Fixture f;
  Memory memory(f.pd, 64);
  Pair a(f, VB_IBV_QPT_RC);
  a.init();
  a.toRtr(0xfffff0, f.port.lid);
  a.toRts();
  CHECK(a.send(1, memory.sge(0, 8)) == 0 && a.send(2, memory.sge(0, 8)) == 0);
  vb_ibv_wc wc = f.await();
  CHECK(wc.wr_id == 1 && wc.status == VB_IBV_WC_RETRY_EXC_ERR);
  wc = f.await();
  CHECK(wc.wr_id == 2 && wc.status == VB_IBV_WC_WR_FLUSH_ERR);
}

void sharedReceives() {
  Fixture f;
  Memory memory(f.pd, 4096);
  vb_ibv_srq_init_attr init = {nullptr, {16, 2, 0}};
  vb_ibv_srq *srq = ibv_create_srq(f.pd, &init);
  CHECK(srq != nullptr);
  {
    Connected c(f, VB_IBV_QPT_RC, 7, kAllAccess, srq);
    for (uint64_t i = 0; i < 4; ++i) {
      vb_ibv_sge sge = memory.sge(64 * i, 64);
      vb_ibv_recv_wr wr = {100 + i, nullptr, &sge, 1};
      vb_ibv_recv_wr *bad = nullptr;
      CHECK(f.context->ops.post_srq_recv(srq, &wr, &bad) == 0);
    }
    vb_ibv_srq_attr limit = {0, 0, 3};
    CHECK(ibv_modify_srq(srq, &limit, VB_IBV_SRQ_LIMIT) == 0);
    CHECK(c.a.send(1, memory.sge(0, 8), 0) == 0 && c.a.send(2, memory.sge(0, 8), 0) == 0);
    CHECK(f.next().wr_id == 100 && f.next().wr_id == 101);
    vb_ibv_async_event event;
    CHECK(ibv_get_async_event(f.context, &event) == 0 && event.event_type == VB_IBV_EVENT_SRQ_LIMIT_REACHED);
    CHECK(event.element.object == srq);
    ibv_ack_async_event(&event);
    CHECK(ibv_destroy_srq(srq) == EBUSY);
  }
  CHECK(ibv_destroy_srq(srq) == 0);
}

void events() {
  Fixture f;
  Memory memory(f.pd, 4096);
  {
    Connected c(f, VB_IBV_QPT_RC);
    for (uint64_t i = 0; i < 8; ++i) CHECK(c.b.receive(i, memory.sge(0, 64)) == 0);
    // Not armed: no event. Armed: one, however many follow.
    CHECK(c.a.send(1, memory.sge(0, 8), 0) == 0 && !isReadable(f.channel->fd));
    CHECK(f.context->ops.req_notify_cq(f.cq, 0) == 0 && !isReadable(f.channel->fd));
    CHECK(c.a.send(2, memory.sge(0, 8), 0) == 0 && c.a.send(3, memory.sge(0, 8), 0) == 0 && isReadable(f.channel->fd));
    vb_ibv_cq *which;
    void *userContext;
    CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == 0 && which == f.cq && !isReadable(f.channel->fd));
    CHECK(fcntl(f.channel->fd, F_SETFL, O_NONBLOCK) == 0);
    CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == -1 && errno == EAGAIN);
    // Solicited only: others do not count.
    CHECK(f.context->ops.req_notify_cq(f.cq, 1) == 0);
    CHECK(c.a.send(4, memory.sge(0, 8), 0) == 0 && !isReadable(f.channel->fd));
    CHECK(c.a.send(5, memory.sge(0, 8), VB_IBV_SEND_SOLICITED) == 0 && isReadable(f.channel->fd));
    ibv_ack_cq_events(f.cq, 1);
  }
  CHECK(ibv_destroy_comp_channel(f.channel) == EBUSY);
  // An event that nobody reads goes with its queue; destruction waits for the one that was read.
  vb_ibv_cq *other = ibv_create_cq(f.context, 8, nullptr, f.channel, 3);
  CHECK(other != nullptr && ibv_create_cq(f.context, 8, nullptr, f.channel, 4) == nullptr && errno == EINVAL);
  CHECK(ibv_destroy_cq(other) == 0);
}

void acknowledgement() {
  Fixture f;
  Memory memory(f.pd, 4096);
  vb_ibv_cq *cq = ibv_create_cq(f.context, 8, nullptr, f.channel, 0);
  {
    vb_ibv_cq *kept = f.cq;
    f.cq = cq;
    Connected c(f, VB_IBV_QPT_RC);
    CHECK(c.b.receive(1, memory.sge(0, 64)) == 0 && c.b.receive(2, memory.sge(0, 64)) == 0);
    CHECK(f.context->ops.req_notify_cq(cq, 0) == 0 && c.a.send(1, memory.sge(0, 8), 0) == 0);
    f.cq = kept;
  }
  vb_ibv_cq *which;
  void *userContext;
  CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == 0 && which == cq);
  bool isAcknowledged = false;
  std::thread late([&] {
    isAcknowledged = true;
    ibv_ack_cq_events(cq, 1);
  });
  CHECK(ibv_destroy_cq(cq) == 0);
  late.join();
  CHECK(isAcknowledged);
}

void overrun() {
  Fixture f(4);
  Memory memory(f.pd, 4096);
  CHECK(ibv_resize_cq(f.cq, 2) == 0);
  Connected c(f, VB_IBV_QPT_RC);
  for (uint64_t i = 0; i < 4; ++i) CHECK(c.b.receive(i, memory.sge(0, 64)) == 0);
  CHECK(c.a.send(1, memory.sge(0, 8)) == 0);
  CHECK(ibv_resize_cq(f.cq, 1) == EINVAL && ibv_resize_cq(f.cq, 3) == 0);
  CHECK(c.a.send(2, memory.sge(0, 8)) == 0);
  vb_ibv_async_event event;
  CHECK(ibv_get_async_event(f.context, &event) == 0 && event.event_type == VB_IBV_EVENT_CQ_ERR && event.element.object == f.cq);
  ibv_ack_async_event(&event);
  for (int i = 0; i < 2; ++i) {
    CHECK(ibv_get_async_event(f.context, &event) == 0 && event.event_type == VB_IBV_EVENT_QP_FATAL);
    ibv_ack_async_event(&event);
  }
}

const Scenarios kScenarios = {
    {"reliable", [] { sendOn(VB_IBV_QPT_RC); }},
    {"unreliable", unreliable},
    {"datagrams", datagrams},
    {"multicast", multicast},
    {"rdma", rdma},
    {"refusals", refusals},
    {"receiver-not-ready", receiverNotReady},
    {"no-peer", noPeer},
    {"shared-receives", sharedReceives},
    {"events", events},
    {"acknowledgement", acknowledgement},
    {"overrun", overrun},
    {"states", states},
    {"regions", regions},
    {"closed-early", closedEarly},
    {"fabric-gone", fabricGone},
};

}  // namespace

int main(int count, char **words) { return runScenario(kScenarios, count, words); }
