// How long after a post the one who waits for its event has the completion in hand: the loop that `pnpm bench verbs-wake` compares with.
//   verbs-wake LIBRARY COUNT INTERVAL_US
// One thread posts a message with the time in it, another waits on the channel. Prints the median and the 99th percentile in
// microseconds, and the processor time of the process for each message.
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "check.h"
#include "rdma/objects.h"

using namespace verbena;

namespace {

constexpr int kAccess = VB_IBV_ACCESS_LOCAL_WRITE;
constexpr uint32_t kDepth = 64;

double NowUs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double CpuUs() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

void Connect(const VerbsFunctions& fn, vb_ibv_qp* qp, uint32_t peer, uint16_t lid) {
  vb_ibv_qp_attr attr = {};
  attr.qp_state = VB_IBV_QPS_INIT;
  attr.port_num = 1;
  CHECK_EQ(fn.ibv_modify_qp(qp, &attr, VB_IBV_QP_STATE | VB_IBV_QP_PKEY_INDEX | VB_IBV_QP_PORT | VB_IBV_QP_ACCESS_FLAGS), 0);
  attr.qp_state = VB_IBV_QPS_RTR;
  attr.path_mtu = 4;
  attr.dest_qp_num = peer;
  attr.ah_attr.dlid = lid;
  attr.ah_attr.port_num = 1;
  attr.max_dest_rd_atomic = 1;
  attr.min_rnr_timer = 12;
  CHECK_EQ(fn.ibv_modify_qp(qp, &attr,
                            VB_IBV_QP_STATE | VB_IBV_QP_AV | VB_IBV_QP_PATH_MTU | VB_IBV_QP_DEST_QPN | VB_IBV_QP_RQ_PSN |
                                VB_IBV_QP_MAX_DEST_RD_ATOMIC | VB_IBV_QP_MIN_RNR_TIMER),
           0);
  attr.qp_state = VB_IBV_QPS_RTS;
  attr.timeout = 14;
  attr.retry_cnt = 7;
  attr.rnr_retry = 7;
  attr.max_rd_atomic = 1;
  CHECK_EQ(fn.ibv_modify_qp(qp, &attr,
                            VB_IBV_QP_STATE | VB_IBV_QP_SQ_PSN | VB_IBV_QP_TIMEOUT | VB_IBV_QP_RETRY_CNT | VB_IBV_QP_RNR_RETRY |
                                VB_IBV_QP_MAX_QP_RD_ATOMIC),
           0);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 4);
  const int count = atoi(argv[2]);
  const auto interval = static_cast<useconds_t>(atoi(argv[3]));
  VerbsLibrary library;
  CHECK(library.Open(argv[1]));
  const VerbsFunctions& fn = library.fn();
  int error = 0;
  vb_ibv_context* context = library.OpenDevice("sim0", &error);
  CHECK(context != nullptr);
  vb_ibv_port_attr port;
  CHECK_EQ(library.QueryPort(context, 1, &port), 0);
  vb_ibv_pd* pd = fn.ibv_alloc_pd(context);
  vb_ibv_comp_channel* channel = fn.ibv_create_comp_channel(context);
  vb_ibv_cq* sends = fn.ibv_create_cq(context, kDepth, nullptr, nullptr, 0);
  vb_ibv_cq* receives = fn.ibv_create_cq(context, 2 * kDepth, nullptr, channel, 0);
  vb_ibv_qp_init_attr init = {};
  init.send_cq = sends;
  init.recv_cq = receives;
  init.cap = {kDepth, kDepth, 1, 1, 0};
  init.qp_type = VB_IBV_QPT_RC;
  vb_ibv_qp* from = fn.ibv_create_qp(pd, &init);
  vb_ibv_qp* to = fn.ibv_create_qp(pd, &init);
  Connect(fn, from, to->qp_num, port.lid);
  Connect(fn, to, from->qp_num, port.lid);
  double out = 0, in = 0;
  vb_ibv_mr* out_mr = fn.ibv_reg_mr(pd, &out, sizeof out, kAccess);
  vb_ibv_mr* in_mr = fn.ibv_reg_mr(pd, &in, sizeof in, kAccess);
  vb_ibv_sge in_sge = {reinterpret_cast<uint64_t>(&in), sizeof in, in_mr->lkey};
  const auto receive = [&] {
    vb_ibv_recv_wr wr = {0, nullptr, &in_sge, 1};
    vb_ibv_recv_wr* bad = nullptr;
    CHECK_EQ(context->ops.post_recv(to, &wr, &bad), 0);
  };
  for (uint32_t i = 0; i < kDepth; i++) receive();
  CHECK_EQ(context->ops.req_notify_cq(receives, 0), 0);
  const double cpu = CpuUs();
  std::thread poster([&] {
    vb_ibv_sge sge = {reinterpret_cast<uint64_t>(&out), sizeof out, out_mr->lkey};
    for (int i = 0; i < count; i++) {
      usleep(interval);
      vb_ibv_send_wr wr = {};
      wr.send_flags = VB_IBV_SEND_SIGNALED;
      wr.sg_list = &sge;
      wr.num_sge = 1;
      wr.opcode = VB_IBV_WR_SEND;
      vb_ibv_send_wr* bad = nullptr;
      out = NowUs();
      CHECK_EQ(context->ops.post_send(from, &wr, &bad), 0);
      vb_ibv_wc sent;
      while (context->ops.poll_cq(sends, 1, &sent) == 1) continue;
    }
  });
  std::vector<double> took;
  while (took.size() < static_cast<size_t>(count)) {
    pollfd entry = {channel->fd, POLLIN, 0};
    CHECK_EQ(poll(&entry, 1, -1), 1);
    vb_ibv_cq* which = nullptr;
    void* user = nullptr;
    CHECK_EQ(fn.ibv_get_cq_event(channel, &which, &user), 0);
    fn.ibv_ack_cq_events(which, 1);
    CHECK_EQ(context->ops.req_notify_cq(which, 0), 0);
    vb_ibv_wc completion;
    while (context->ops.poll_cq(which, 1, &completion) == 1) {
      took.push_back(NowUs() - in);
      receive();
    }
  }
  poster.join();
  std::sort(took.begin(), took.end());
  printf("%.2f %.2f %.2f\n", took[took.size() / 2], took[took.size() * 99 / 100], (CpuUs() - cpu) / count);
  return 0;
}
