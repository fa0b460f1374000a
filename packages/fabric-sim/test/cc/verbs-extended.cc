// Scenarios of the extended interface, between queue pairs of one simulated HCA in one process; each ends with `ok` or says what it expected.
#include <errno.h>
#include <time.h>

#include "scenarios.h"
#include "verbs-api.h"

extern "C" vb_ibv_qp_ex *ibv_qp_to_qp_ex(vb_ibv_qp *qp);
extern "C" int ibv_rereg_mr(vb_ibv_mr *mr, int flags, vb_ibv_pd *pd, void *addr, size_t length, int access);

using namespace test;

namespace {

constexpr uint64_t kAllOfRc = VB_IBV_QP_EX_WITH_SEND | VB_IBV_QP_EX_WITH_SEND_WITH_IMM | VB_IBV_QP_EX_WITH_RDMA_WRITE |
                              VB_IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | VB_IBV_QP_EX_WITH_RDMA_READ | VB_IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                              VB_IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

vb_verbs_context *extended(Fixture &f) { return vb_verbs_get_context(f.context); }

vb_ibv_qp_init_attr_ex wanted(Fixture &f, int type, uint64_t operations) {
  vb_ibv_qp_init_attr_ex init = {};
  init.send_cq = init.recv_cq = f.cq;
  init.cap = {8, 8, 4, 4, 64};
  init.qp_type = type;
  init.comp_mask = VB_IBV_QP_INIT_ATTR_PD | VB_IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  init.pd = f.pd;
  init.send_ops_flags = operations;
  return init;
}

vb_ibv_qp *create(Fixture &f, vb_ibv_qp_init_attr_ex init) {
  vb_ibv_qp *qp = extended(f)->create_qp_ex(f.context, &init);
  CHECK(qp != nullptr);
  return qp;
}

int refused(Fixture &f, vb_ibv_qp_init_attr_ex init) { return extended(f)->create_qp_ex(f.context, &init) == nullptr ? errno : 0; }

// One whose sends are built by calls, and a usual one.
struct Built {
  Pair a;
  Pair b;
  vb_ibv_qp_ex *ex;
  Built(Fixture &f, int type, uint64_t operations) : a(f, create(f, wanted(f, type, operations))), b(f, type), ex(ibv_qp_to_qp_ex(a.qp)) {
    CHECK(ex != nullptr && ex == reinterpret_cast<vb_ibv_qp_ex *>(a.qp) && ibv_qp_to_qp_ex(b.qp) == nullptr);
    if (type == VB_IBV_QPT_UD) {
      for (Pair *p : {&a, &b}) {
        p->init();
        p->toRtr(0, 0);
        p->toRts();
      }
    } else {
      a.connect(b);
      b.connect(a);
    }
  }
  void next(uint64_t wrId, unsigned flags = VB_IBV_SEND_SIGNALED) {
    ex->wr_id = wrId;
    ex->wr_flags = flags;
  }
};

void builtSends() {
  Fixture f;
  Memory memory(f.pd, 8192);
  uint8_t *bytes = memory.bytes.data();
  Built c(f, VB_IBV_QPT_RC, kAllOfRc);
  for (uint64_t i = 0; i < 4; ++i) CHECK(c.b.receive(100 + i, memory.sge(4096 + i * 64, 64)) == 0);
  memcpy(bytes, "gathered from two places", 24);
  *reinterpret_cast<uint64_t *>(bytes + 1024) = 40;
  c.ex->wr_start(c.ex);
  c.next(1);
  c.ex->wr_send(c.ex);
  vb_ibv_sge two[] = {memory.sge(0, 9), memory.sge(13, 11)};
  c.ex->wr_set_sge_list(c.ex, 2, two);
  c.next(2, VB_IBV_SEND_SIGNALED | VB_IBV_SEND_SOLICITED);
  c.ex->wr_send_imm(c.ex, 0x01020304);
  {
    // The program's buffers are its own again at once.
    char first[] = "in";
    char second[] = "line";
    vb_ibv_data_buf parts[] = {{first, 2}, {second, 4}};
    c.ex->wr_set_inline_data_list(c.ex, 2, parts);
  }
  c.next(3, 0);  // unsignalled
  c.ex->wr_rdma_write(c.ex, memory.mr->rkey, memory.address(2048));
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(0), 8);
  c.next(4);
  c.ex->wr_rdma_write_imm(c.ex, memory.mr->rkey, memory.address(2060), 5);
  char four[] = "four";
  c.ex->wr_set_inline_data(c.ex, four, 4);
  c.next(5);
  c.ex->wr_rdma_read(c.ex, memory.mr->rkey, memory.address(2048));
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(3000), 8);
  c.next(6);
  c.ex->wr_atomic_fetch_add(c.ex, memory.mr->rkey, memory.address(1024), 2);
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(1032), 8);
  c.next(7);
  c.ex->wr_atomic_cmp_swp(c.ex, memory.mr->rkey, memory.address(1024), 42, 7);
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(1040), 8);
  // An empty message.
  c.next(8);
  c.ex->wr_send(c.ex);
  vb_ibv_wc none;
  CHECK(f.poll(&none) == 0);  // nothing moves before this:
  CHECK(c.ex->wr_complete(c.ex) == 0);

  vb_ibv_wc wc = f.next();
  CHECK(wc.wr_id == 100 && wc.byte_len == 20 && memcmp(bytes + 4096, "gathered  two places", 20) == 0);
  CHECK(f.next().wr_id == 1);
  wc = f.next();
  CHECK(wc.wr_id == 101 && wc.byte_len == 6 && wc.be_imm_data == 0x01020304 && memcmp(bytes + 4160, "inline", 6) == 0);
  CHECK(f.next().wr_id == 2);
  wc = f.next();
  CHECK(wc.wr_id == 102 && wc.opcode == VB_IBV_WC_RECV_RDMA_WITH_IMM && wc.be_imm_data == 5);
  CHECK(memcmp(bytes + 2048, "gathered", 8) == 0 && memcmp(bytes + 2060, "four", 4) == 0);
  CHECK(f.next().wr_id == 4);
  wc = f.next();
  CHECK(wc.wr_id == 5 && wc.opcode == VB_IBV_WC_RDMA_READ && memcmp(bytes + 3000, "gathered", 8) == 0);
  wc = f.next();
  CHECK(wc.wr_id == 6 && wc.opcode == VB_IBV_WC_FETCH_ADD && *reinterpret_cast<uint64_t *>(bytes + 1032) == 40);
  wc = f.next();
  CHECK(wc.wr_id == 7 && wc.opcode == VB_IBV_WC_COMP_SWAP && *reinterpret_cast<uint64_t *>(bytes + 1040) == 42);
  CHECK(*reinterpret_cast<uint64_t *>(bytes + 1024) == 7);
  wc = f.next();
  CHECK(wc.wr_id == 103 && wc.byte_len == 0);
  CHECK(f.next().wr_id == 8 && f.poll(&none) == 0);
}

void builtDatagrams() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Built c(f, VB_IBV_QPT_UD, VB_IBV_QP_EX_WITH_SEND);
  CHECK(c.ex->wr_send_imm == nullptr && c.ex->wr_rdma_write == nullptr && c.ex->wr_set_ud_addr != nullptr);
  vb_ibv_ah_attr to = {};
  to.dlid = f.port.lid;
  to.port_num = 1;
  vb_ibv_ah *ah = ibv_create_ah(f.pd, &to);
  CHECK(ah != nullptr && c.b.receive(2, memory.sge(1024, 104)) == 0);
  memcpy(memory.bytes.data(), "datagram", 8);
  c.ex->wr_start(c.ex);
  c.next(1);
  c.ex->wr_send(c.ex);
  c.ex->wr_set_ud_addr(c.ex, ah, c.b.qp->qp_num, kQkey);
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(0), 8);
  CHECK(c.ex->wr_complete(c.ex) == 0);
  vb_ibv_wc wc = f.next();
  CHECK(wc.wr_id == 2 && wc.byte_len == 48 && memcmp(memory.bytes.data() + 1064, "datagram", 8) == 0);
  CHECK(f.next().wr_id == 1);
  // Without an address nothing is posted.
  c.ex->wr_start(c.ex);
  c.ex->wr_send(c.ex);
  CHECK(c.ex->wr_complete(c.ex) == EINVAL);
  CHECK(ibv_destroy_ah(ah) == 0);
}

void togetherOrNot() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Built c(f, VB_IBV_QPT_RC, VB_IBV_QP_EX_WITH_SEND | VB_IBV_QP_EX_WITH_RDMA_WRITE);
  auto post = [&](uint32_t count, size_t lastInline) {
    c.ex->wr_start(c.ex);
    for (uint32_t i = 0; i < count; ++i) {
      c.next(i);
      c.ex->wr_rdma_write(c.ex, memory.mr->rkey, memory.address(64));
      c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(0), 1);
    }
    if (lastInline > 0) c.ex->wr_set_inline_data(c.ex, memory.bytes.data(), lastInline);
    return c.ex->wr_complete(c.ex);
  };
  vb_ibv_wc wc;
  memory.bytes[0] = 1;
  // As many as the queue has room for; one more, or one that cannot be, and none of them goes.
  CHECK(post(9, 0) == ENOMEM && post(8, 65) == EINVAL);
  CHECK(f.poll(&wc) == 0 && memory.bytes[64] == 0);
  CHECK(post(8, 64) == 0);
  for (uint64_t i = 0; i < 8; ++i) CHECK(f.next().wr_id == i);
  // Given up: nothing of it is left in the next.
  c.ex->wr_start(c.ex);
  c.ex->wr_send(c.ex);
  c.ex->wr_abort(c.ex);
  CHECK(post(1, 0) == 0 && f.next().wr_id == 0 && f.poll(&wc) == 0);
  // Data for no request.
  c.ex->wr_start(c.ex);
  c.ex->wr_set_sge(c.ex, memory.mr->lkey, memory.address(0), 1);
  CHECK(c.ex->wr_complete(c.ex) == EINVAL);
  // Nothing at all.
  c.ex->wr_start(c.ex);
  CHECK(c.ex->wr_complete(c.ex) == 0);
  // The list interface of the same queue pair.
  CHECK(c.b.receive(1, memory.sge(128, 8)) == 0 && c.a.send(2, memory.sge(0, 8)) == 0);
  CHECK(f.next().wr_id == 1 && f.next().wr_id == 2);
}

void notOffered() {
  Fixture f;
  CHECK(refused(f, wanted(f, VB_IBV_QPT_RC, VB_IBV_QP_EX_WITH_LOCAL_INV)) == EOPNOTSUPP);
  CHECK(refused(f, wanted(f, VB_IBV_QPT_UC, VB_IBV_QP_EX_WITH_RDMA_READ)) == EOPNOTSUPP);
  CHECK(refused(f, wanted(f, VB_IBV_QPT_UD, VB_IBV_QP_EX_WITH_RDMA_WRITE)) == EOPNOTSUPP);
  vb_ibv_qp_init_attr_ex init = wanted(f, VB_IBV_QPT_RC, VB_IBV_QP_EX_WITH_SEND);
  init.comp_mask = VB_IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;  // of no domain
  CHECK(refused(f, init) == EINVAL);
  init.comp_mask = VB_IBV_QP_INIT_ATTR_PD | VB_IBV_QP_INIT_ATTR_XRCD;
  CHECK(refused(f, init) == EOPNOTSUPP);
  init.comp_mask = VB_IBV_QP_INIT_ATTR_PD | VB_IBV_QP_INIT_ATTR_CREATE_FLAGS;
  init.create_flags = 1 << 10;
  CHECK(refused(f, init) == EOPNOTSUPP);
  // No flags are no demand; and no operations asked for, none given.
  init.create_flags = 0;
  vb_ibv_qp *qp = create(f, init);
  CHECK(ibv_qp_to_qp_ex(qp) == nullptr && ibv_destroy_qp(qp) == 0);
  // What no list could hold, inline data can.
  init = wanted(f, VB_IBV_QPT_RC, VB_IBV_QP_EX_WITH_SEND);
  init.cap.max_send_sge = 0;
  qp = extended(f)->create_qp_ex(f.context, &init);
  CHECK(qp != nullptr && init.cap.max_send_sge == 1 && ibv_destroy_qp(qp) == 0);

  vb_ibv_cq_init_attr_ex queue = {};
  queue.cqe = 8;
  auto refusedQueue = [&] { return extended(f)->create_cq_ex(f.context, &queue) == nullptr ? errno : 0; };
  queue.wc_flags = 1 << 8;  // VLAN tags
  CHECK(refusedQueue() == EOPNOTSUPP);
  queue.wc_flags = 0;
  queue.comp_mask = VB_IBV_CQ_INIT_ATTR_MASK_FLAGS;
  queue.flags = 1 << 1;  // overruns to be ignored
  CHECK(refusedQueue() == EOPNOTSUPP);
  queue.comp_mask = 1 << 1;  // a parent domain
  CHECK(refusedQueue() == EINVAL);
  queue.comp_mask = 0;
  queue.comp_vector = static_cast<uint32_t>(f.context->num_comp_vectors);
  CHECK(refusedQueue() == EINVAL);
  CHECK(extended(f)->advise_mr == nullptr && extended(f)->alloc_null_mr == nullptr && extended(f)->create_flow == nullptr);
}

uint64_t clockNow(Fixture &f) {
  vb_ibv_values_ex values = {0xff, {}};
  CHECK(extended(f)->query_rt_values(f.context, &values) == 0 && values.comp_mask == VB_IBV_VALUES_MASK_RAW_CLOCK);
  return static_cast<uint64_t>(values.raw_clock.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(values.raw_clock.tv_nsec);
}

void completionsByField() {
  Fixture f;
  Memory memory(f.pd, 4096);
  vb_ibv_cq_init_attr_ex init = {};
  init.cqe = 16;
  init.cq_context = &f;
  init.channel = f.channel;
  init.wc_flags = VB_IBV_WC_EX_WITH_BYTE_LEN | VB_IBV_WC_EX_WITH_IMM | VB_IBV_WC_EX_WITH_QP_NUM | VB_IBV_WC_EX_WITH_SRC_QP |
                  VB_IBV_WC_EX_WITH_SLID | VB_IBV_WC_EX_WITH_SL | VB_IBV_WC_EX_WITH_DLID_PATH_BITS | VB_IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  init.comp_mask = VB_IBV_CQ_INIT_ATTR_MASK_FLAGS;
  init.flags = VB_IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
  vb_ibv_cq_ex *ex = extended(f)->create_cq_ex(f.context, &init);
  CHECK(ex != nullptr && ex->cqe == 16 && ex->channel == f.channel && ex->cq_context == &f && ex->read_cvlan == nullptr);
  auto *cq = reinterpret_cast<vb_ibv_cq *>(ex);
  {
    vb_ibv_qp_init_attr pair = {};
    pair.send_cq = pair.recv_cq = cq;
    pair.cap = {8, 8, 4, 4, 64};
    pair.qp_type = VB_IBV_QPT_RC;
    Pair a(f, ibv_create_qp(f.pd, &pair));
    Pair b(f, VB_IBV_QPT_RC);
    a.connect(b);
    b.connect(a);
    vb_ibv_poll_cq_attr attributes = {};
    CHECK(ex->start_poll(ex, &attributes) == ENOENT);
    vb_ibv_poll_cq_attr unknown = {1};
    CHECK(ex->start_poll(ex, &unknown) == EINVAL);

    uint64_t before = clockNow(f);
    CHECK(a.receive(1, memory.sge(1024, 16)) == 0 && a.receive(2, memory.sge(1024, 16)) == 0 && a.receive(3, memory.sge(1024, 1)) == 0);
    vb_ibv_send_wr wr = {};
    wr.opcode = VB_IBV_WR_SEND_WITH_IMM;
    wr.be_imm_data = 77;
    CHECK(b.send(wr, memory.sge(0, 8)) == 0);
    uint64_t between = clockNow(f);
    CHECK(b.send(9, memory.sge(0, 9), 0) == 0);
    CHECK(b.send(10, memory.sge(0, 10), 0) == 0);  // longer than what is there for it
    uint64_t after = clockNow(f);
    // Grows with what is in it, time stamps and all.
    CHECK(ibv_resize_cq(cq, 32) == 0 && ex->cqe == 32);

    CHECK(ex->start_poll(ex, &attributes) == 0);
    CHECK(ex->wr_id == 1 && ex->status == VB_IBV_WC_SUCCESS && ex->read_opcode(ex) == VB_IBV_WC_RECV && ex->read_byte_len(ex) == 8);
    CHECK(ex->read_wc_flags(ex) == VB_IBV_WC_WITH_IMM && ex->read_be_imm_data(ex) == 77 && ex->read_qp_num(ex) == a.qp->qp_num);
    CHECK(ex->read_src_qp(ex) == b.qp->qp_num && ex->read_slid(ex) == f.port.lid && ex->read_sl(ex) == 0);
    CHECK(ex->read_dlid_path_bits(ex) == 0 && ex->read_vendor_err(ex) == 0);
    uint64_t stamp = ex->read_completion_ts(ex);
    CHECK(before <= stamp && stamp <= between);
    CHECK(ex->next_poll(ex) == 0 && ex->wr_id == 2 && ex->read_byte_len(ex) == 9 && ex->read_wc_flags(ex) == 0);
    CHECK(between <= ex->read_completion_ts(ex) && ex->read_completion_ts(ex) <= after);
    CHECK(ex->next_poll(ex) == 0 && ex->wr_id == 3 && ex->status == VB_IBV_WC_LOC_LEN_ERR);
    CHECK(ex->next_poll(ex) == ENOENT);
    ex->end_poll(ex);
    CHECK(ex->start_poll(ex, &attributes) == ENOENT);
    // The usual way of polling the same queue: what is posted now is flushed.
    CHECK(a.receive(4, memory.sge(1024, 16)) == 0);
    vb_ibv_wc wc;
    CHECK(f.context->ops.poll_cq(cq, 1, &wc) == 1 && wc.wr_id == 4 && wc.status == VB_IBV_WC_WR_FLUSH_ERR);
  }
  CHECK(ibv_destroy_cq(cq) == 0);
}

// A completion that has raised an event of its own is there for who comes for that event, and not taken with those before it.
void completionsOfEvents() {
  Fixture f;
  Memory memory(f.pd, 4096);
  vb_ibv_cq_init_attr_ex init = {};
  init.cqe = 16;
  init.channel = f.channel;
  vb_ibv_cq_ex *ex = extended(f)->create_cq_ex(f.context, &init);
  CHECK(ex != nullptr);
  auto *cq = reinterpret_cast<vb_ibv_cq *>(ex);
  {
    vb_ibv_qp_init_attr pair = {};
    pair.send_cq = pair.recv_cq = cq;
    pair.cap = {8, 8, 4, 4, 64};
    pair.qp_type = VB_IBV_QPT_UC;
    Pair a(f, ibv_create_qp(f.pd, &pair));
    Pair b(f, VB_IBV_QPT_UC);
    a.connect(b);
    b.connect(a);
    for (uint64_t i = 1; i <= 4; ++i) CHECK(a.receive(i, memory.sge(1024, 16)) == 0);
    vb_ibv_poll_cq_attr attributes = {};
    vb_ibv_cq *which = nullptr;
    void *userContext = nullptr;
    auto armAndSend = [&] { CHECK(f.context->ops.req_notify_cq(cq, 0) == 0 && b.send(0, memory.sge(0, 8), 0) == 0); };
    auto readEvent = [&] { CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == 0 && which == cq); };

    armAndSend();
    readEvent();
    armAndSend();
    CHECK(ex->start_poll(ex, &attributes) == 0 && ex->wr_id == 1 && ex->next_poll(ex) == ENOENT);
    ex->end_poll(ex);
    readEvent();
    CHECK(ex->start_poll(ex, &attributes) == 0 && ex->wr_id == 2 && ex->next_poll(ex) == ENOENT);
    ex->end_poll(ex);
    CHECK(ex->start_poll(ex, &attributes) == ENOENT);
    // Without an event of their own they come together; and who does not read events misses none.
    CHECK(b.send(0, memory.sge(0, 8), 0) == 0);
    armAndSend();
    CHECK(ex->start_poll(ex, &attributes) == 0 && ex->wr_id == 3);
    ex->end_poll(ex);
    CHECK(ex->start_poll(ex, &attributes) == 0 && ex->wr_id == 4 && ex->next_poll(ex) == ENOENT);
    ex->end_poll(ex);
    readEvent();
    ibv_ack_cq_events(cq, 3);
  }
  CHECK(ibv_destroy_cq(cq) == 0);
}

void deviceAttributes() {
  Fixture f;
  vb_ibv_device_attr_ex all;
  vb_ibv_device_attr usual;
  CHECK(extended(f)->query_device_ex(f.context, nullptr, &all, sizeof all) == 0 && ibv_query_device(f.context, &usual) == 0);
  CHECK(memcmp(&all.orig_attr, &usual, sizeof usual) == 0);
  CHECK(all.completion_timestamp_mask == UINT64_MAX && all.hca_core_clock == 1'000'000 && all.phys_port_cnt_ex == usual.phys_port_cnt);
  CHECK(all.odp_caps.general_caps == 0 && all.tso_caps.max_tso == 0 && all.max_dm_size >= 4096);
  // A program that knows less of it, and one that knows more.
  struct {
    vb_ibv_device_attr_ex known;
    uint64_t later;
  } more;
  more.later = 1;
  auto *start = &more.known;
  CHECK(extended(f)->query_device_ex(f.context, nullptr, start, sizeof more) == 0 && more.later == 0);
  memset(&all, 0xee, sizeof all);
  CHECK(extended(f)->query_device_ex(f.context, nullptr, &all, offsetof(vb_ibv_device_attr_ex, odp_caps)) == 0);
  CHECK(all.comp_mask == 0 && all.odp_caps.general_caps == 0xeeeeeeeeeeeeeeee);
  CHECK(extended(f)->query_device_ex(f.context, nullptr, &all, sizeof usual - 1) == EINVAL);
  vb_ibv_query_device_ex_input input = {1};
  CHECK(extended(f)->query_device_ex(f.context, &input, &all, sizeof all) == EINVAL);
}

void deviceMemory() {
  Fixture f;
  Memory memory(f.pd, 4096);
  vb_ibv_device_attr_ex device;
  CHECK(extended(f)->query_device_ex(f.context, nullptr, &device, sizeof device) == 0);
  auto allocate = [&](size_t length, uint32_t alignment = 0) {
    vb_ibv_alloc_dm_attr attributes = {length, alignment, 0};
    return extended(f)->alloc_dm(f.context, &attributes);
  };
  CHECK(allocate(device.max_dm_size + 1) == nullptr && errno == ENOMEM);
  CHECK(allocate(0) == nullptr && errno == EINVAL);
  CHECK(allocate(64, 12) == nullptr && errno == EINVAL);
  vb_ibv_dm *dm = allocate(device.max_dm_size);
  CHECK(dm != nullptr && dm->context == f.context);
  CHECK(allocate(1) == nullptr && errno == ENOMEM);
  CHECK(dm->memcpy_to_dm(dm, 64, "of the device", 14) == 0 && dm->memcpy_to_dm(dm, device.max_dm_size - 1, "xx", 2) == EINVAL);

  auto region = [&](uint64_t offset, size_t length, unsigned access) { return extended(f)->reg_dm_mr(f.pd, dm, offset, length, access); };
  CHECK(region(0, 64, VB_IBV_ACCESS_LOCAL_WRITE) == nullptr && errno == EINVAL);  // its addresses begin at zero: said, or refused
  CHECK(region(1, device.max_dm_size, VB_IBV_ACCESS_ZERO_BASED) == nullptr && errno == EINVAL);
  vb_ibv_mr *mr = region(64, 128, VB_IBV_ACCESS_ZERO_BASED | VB_IBV_ACCESS_LOCAL_WRITE);
  CHECK(mr != nullptr && extended(f)->free_dm(dm) == EBUSY);
  {
    Connected c(f, VB_IBV_QPT_RC);
    // From the device's memory into ours and back; addresses are offsets in the region.
    CHECK(c.b.receive(1, memory.sge(0, 64)) == 0 && c.a.send(2, {0, 14, mr->lkey}) == 0);
    CHECK(f.next().status == VB_IBV_WC_SUCCESS && f.next().status == VB_IBV_WC_SUCCESS);
    CHECK(strcmp(reinterpret_cast<char *>(memory.bytes.data()), "of the device") == 0);
    CHECK(c.b.receive(3, {16, 112, mr->lkey}) == 0 && c.a.send(4, memory.sge(0, 14)) == 0);
    CHECK(f.next().wr_id == 3 && f.next().wr_id == 4);
    char back[14];
    CHECK(dm->memcpy_from_dm(back, dm, 64 + 16, sizeof back) == 0 && strcmp(back, "of the device") == 0);
    CHECK(dm->memcpy_from_dm(back, dm, device.max_dm_size, 1) == EINVAL);
    // Beyond the region, though inside the memory.
    CHECK(c.a.send(5, {120, 16, mr->lkey}) == 0 && f.next().status == VB_IBV_WC_LOC_PROT_ERR);
  }
  CHECK(ibv_dereg_mr(mr) == 0 && extended(f)->free_dm(dm) == 0);
  CHECK((dm = allocate(64)) != nullptr && extended(f)->free_dm(dm) == 0);
}

void reregistration() {
  Fixture f;
  Memory memory(f.pd, 4096);
  Memory other(f.pd, 8192, VB_IBV_ACCESS_LOCAL_WRITE);
  vb_ibv_mr *mr = other.mr;
  uint32_t key = mr->lkey;
  auto change = [&](int flags, vb_ibv_pd *pd, void *address, size_t length, int access) {
    return ibv_rereg_mr(mr, flags, pd, address, length, access) == 0 ? 0 : errno;
  };
  {
    Connected c(f, VB_IBV_QPT_RC);
    vb_ibv_send_wr wr = {};
    wr.opcode = VB_IBV_WR_RDMA_WRITE;
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    auto write = [&](uint64_t address) {
      wr.wr.rdma = {address, key};
      CHECK(c.a.send(wr, memory.sge(0, 8)) == 0);
      return f.next().status;
    };
    // Now it lets others write, and covers its second half only.
    CHECK(change(VB_IBV_REREG_MR_CHANGE_ACCESS | VB_IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, other.bytes.data() + 4096, 4096, kAllAccess) == 0);
    CHECK(mr->lkey == key && mr->rkey == key && mr->addr == other.bytes.data() + 4096 && mr->length == 4096 && mr->pd == f.pd);
    memcpy(memory.bytes.data(), "second", 7);
    CHECK(write(other.address(4096)) == VB_IBV_WC_SUCCESS && memcmp(other.bytes.data() + 4096, "second", 7) == 0);
    CHECK(write(other.address(0)) == VB_IBV_WC_REM_ACCESS_ERR);
  }
  // Refused, and then it is what it was.
  CHECK(change(0, nullptr, nullptr, 0, 0) == EINVAL && change(1 << 3, nullptr, nullptr, 0, 0) == EINVAL);
  CHECK(change(VB_IBV_REREG_MR_CHANGE_PD, nullptr, nullptr, 0, 0) == EINVAL);
  CHECK(change(VB_IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, VB_IBV_ACCESS_REMOTE_WRITE) == EINVAL);
  CHECK(change(VB_IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, reinterpret_cast<void *>(4096), 4096, 0) == EFAULT);
  setenv("FABRICSIM_MEMLOCK", "24576", 1);  // each array lies on one page more than its bytes
  std::vector<uint8_t> large(65536);
  CHECK(change(VB_IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, large.data(), large.size(), 0) == ENOMEM);
  CHECK(change(VB_IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, large.data(), 8192, 0) == 0);
  unsetenv("FABRICSIM_MEMLOCK");
  CHECK(mr->addr == large.data() && mr->length == 8192);
  // To another domain: the first is free of it.
  vb_ibv_pd *second = ibv_alloc_pd(f.context);
  CHECK(second != nullptr && change(VB_IBV_REREG_MR_CHANGE_PD, second, nullptr, 0, 0) == 0 && mr->pd == second);
  CHECK(ibv_dealloc_pd(second) == EBUSY && change(VB_IBV_REREG_MR_CHANGE_PD, f.pd, nullptr, 0, 0) == 0 && ibv_dealloc_pd(second) == 0);
}

const Scenarios kScenarios = {
    {"built-sends", builtSends},
    {"built-datagrams", builtDatagrams},
    {"together-or-not", togetherOrNot},
    {"not-offered", notOffered},
    {"completions-by-field", completionsByField},
    {"completions-of-events", completionsOfEvents},
    {"device-attributes", deviceAttributes},
    {"device-memory", deviceMemory},
    {"reregistration", reregistration},
};

}  // namespace

int main(int count, char **words) { return runScenario(kScenarios, count, words); }
