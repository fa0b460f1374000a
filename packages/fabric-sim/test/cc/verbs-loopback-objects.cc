// What becomes of objects of one process: queue pairs in their states, memory regions, a device that is closed before the rest.
#include <errno.h>
#include <poll.h>

#include "verbs-api.h"
#include "verbs-loopback.h"

using namespace test;

void states() {
  Fixture f;
  Memory memory(f.pd, 64);
  Pair a(f, VB_IBV_QPT_RC);
  CHECK(a.receive(1, memory.sge(0, 8)) == EINVAL);
  vb_ibv_qp_attr init = {};
  init.qp_state = VB_IBV_QPS_INIT;
  init.port_num = 1;
  int mask = VB_IBV_QP_STATE | VB_IBV_QP_PKEY_INDEX | VB_IBV_QP_PORT;
  CHECK(a.modify(init, mask) == EINVAL);                                                // access flags are missing
  CHECK(a.modify(init, mask | VB_IBV_QP_ACCESS_FLAGS | VB_IBV_QP_QKEY) == EINVAL);      // a Q_Key is too much
  init.port_num = 9;
  CHECK(a.modify(init, mask | VB_IBV_QP_ACCESS_FLAGS) == EINVAL);
  a.init();
  CHECK(a.receive(1, memory.sge(0, 8)) == 0 && a.send(2, memory.sge(0, 8)) == EINVAL);
  a.toRtr(a.qp->qp_num, f.port.lid);
  CHECK(a.send(2, memory.sge(0, 8)) == EINVAL);
  a.toRts();
  vb_ibv_qp_attr drain = {};
  drain.qp_state = VB_IBV_QPS_SQD;
  drain.en_sqd_async_notify = 1;
  CHECK(a.modify(drain, VB_IBV_QP_STATE | VB_IBV_QP_EN_SQD_ASYNC_NOTIFY) == 0);
  vb_ibv_async_event event;
  CHECK(ibv_get_async_event(f.context, &event) == 0 && event.event_type == VB_IBV_EVENT_SQ_DRAINED);
  ibv_ack_async_event(&event);
  CHECK(a.send(2, memory.sge(0, 8)) == 0);
  vb_ibv_wc wc;
  CHECK(f.poll(&wc) == 0);
  vb_ibv_qp_attr run = {};
  run.qp_state = VB_IBV_QPS_RTS;
  CHECK(a.modify(run, VB_IBV_QP_STATE) == 0);
  CHECK(f.next().wr_id == 1 && f.next().wr_id == 2);
  CHECK(a.receive(3, memory.sge(0, 8)) == 0);
  vb_ibv_qp_attr stop = {};
  stop.qp_state = VB_IBV_QPS_ERR;
  CHECK(a.modify(stop, VB_IBV_QP_STATE) == 0);
  CHECK(f.next().status == VB_IBV_WC_WR_FLUSH_ERR);
  CHECK(a.receive(4, memory.sge(0, 8)) == 0 && f.next().wr_id == 4);
  CHECK(a.receive(5, memory.sge(0, 8)) == 0);
  stop.qp_state = VB_IBV_QPS_RESET;
  CHECK(a.modify(stop, VB_IBV_QP_STATE) == 0 && f.poll(&wc) == 0);
}

void regions() {
  Fixture f;
  Memory memory(f.pd, 4096);
  auto refused = [&](void *address, size_t length, int access) {
    return ibv_reg_mr(f.pd, address, length, access) == nullptr ? errno : 0;
  };
  CHECK(refused(memory.bytes.data(), 64, VB_IBV_ACCESS_REMOTE_WRITE) == EINVAL);
  CHECK(refused(memory.bytes.data(), 0, 0) == EINVAL);
  CHECK(refused(reinterpret_cast<void *>(4096), 4096, 0) == EFAULT);
  CHECK(ibv_dealloc_pd(f.pd) == EBUSY);
  setenv("FABRICSIM_MEMLOCK", "65536", 1);
  CHECK(refused(memory.bytes.data(), 64, 0) == 0);
  Memory more(f.pd, 4096);
  std::vector<uint8_t> large(131072);
  CHECK(refused(large.data(), large.size(), 0) == ENOMEM);
  unsetenv("FABRICSIM_MEMLOCK");
  setenv("FABRICSIM_CHANNEL_ERRNO", "24", 1);
  CHECK(ibv_create_comp_channel(f.context) == nullptr && errno == EMFILE);
  exit((puts("ok"), 0));  // the region that `refused` made is nobody's to give back
}

// A program that closes its device and leaves the rest to the system.
void closedEarly() {
  Fixture f;
  Memory memory(f.pd, 64);
  setenv("FABRICSIM_MEMLOCK", "16384", 1);
  vb_ibv_device **list = ibv_get_device_list(nullptr);
  vb_ibv_context *context = ibv_open_device(list[0]);
  ibv_free_device_list(list);
  vb_ibv_pd *pd = ibv_alloc_pd(context);
  vb_ibv_comp_channel *channel = ibv_create_comp_channel(context);
  vb_ibv_cq *cq = ibv_create_cq(context, 16, nullptr, channel, 0);
  std::vector<uint8_t> bytes(8192);
  vb_ibv_mr *mr = ibv_reg_mr(pd, bytes.data(), bytes.size(), kAllAccess);
  CHECK(mr != nullptr && ibv_reg_mr(f.pd, bytes.data(), bytes.size(), 0) == nullptr && errno == ENOMEM);
  auto create = [&](int type) {
    vb_ibv_qp_init_attr init = {};
    init.send_cq = init.recv_cq = cq;
    init.cap = {4, 4, 1, 1, 0};
    init.qp_type = type;
    return ibv_create_qp(pd, &init);
  };
  vb_ibv_gid group = {};
  group.raw[0] = 0xff;
  group.raw[15] = 3;
  vb_ibv_qp *listener = create(VB_IBV_QPT_UD);
  vb_ibv_qp *connected = create(VB_IBV_QPT_RC);
  CHECK(listener != nullptr && ibv_attach_mcast(listener, &group, 0xc003) == 0 && ibv_destroy_qp(listener) == EBUSY);
  {
    Pair a(f, VB_IBV_QPT_RC);
    Pair b(f, connected);
    a.connect(b);
    b.connect(a);
    vb_ibv_send_wr wr = {};
    wr.opcode = VB_IBV_WR_RDMA_WRITE;
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    wr.wr.rdma = {reinterpret_cast<uint64_t>(bytes.data()), mr->rkey};
    CHECK(a.send(wr, memory.sge(0, 8)) == 0 && f.next().status == VB_IBV_WC_SUCCESS);
    CHECK(ibv_close_device(context) == 0);
    // Nobody there any more, and the memory is not locked any more.
    CHECK(a.send(wr, memory.sge(0, 8)) == 0 && f.await().status == VB_IBV_WC_RETRY_EXC_ERR);
    vb_ibv_mr *again = ibv_reg_mr(f.pd, bytes.data(), bytes.size(), kAllAccess);
    CHECK(again != nullptr && ibv_dereg_mr(again) == 0);
  }
  // What it still has handles of can be destroyed, whatever came to be meanwhile.
  vb_ibv_mr *other = ibv_reg_mr(f.pd, bytes.data(), 64, kAllAccess);
  CHECK(ibv_dereg_mr(mr) == 0 && ibv_destroy_qp(listener) == 0);
  CHECK(ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0 && ibv_dealloc_pd(pd) == 0);
  CHECK(ibv_dereg_mr(other) == 0);
}

// Waits for events in blocking calls while the fabric ends: what was under way fails first, then the channel hangs up.
void fabricGone() {
  Fixture f;
  Memory memory(f.pd, 64);
  Pair a(f, VB_IBV_QPT_RC);
  a.init();
  a.toRtr(a.qp->qp_num, f.port.lid);
  CHECK(a.receive(7, memory.sge(0, 8)) == 0);
  CHECK(f.context->ops.req_notify_cq(f.cq, 0) == 0);
  puts("ready");
  fflush(stdout);
  vb_ibv_cq *which;
  void *userContext;
  CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == 0 && which == f.cq);
  ibv_ack_cq_events(f.cq, 1);
  CHECK(f.next().status == VB_IBV_WC_WR_FLUSH_ERR);
  CHECK(ibv_get_cq_event(f.channel, &which, &userContext) == -1 && errno == EIO);
  struct pollfd entry = {f.channel->fd, POLLIN, 0};
  CHECK(poll(&entry, 1, 0) == 1 && entry.revents == POLLHUP);
  CHECK(ibv_create_comp_channel(f.context) == nullptr && errno == EIO);
}
