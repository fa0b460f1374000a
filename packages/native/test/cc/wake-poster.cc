#include "wake-poster.h"

#include <unistd.h>

#include "check.h"

namespace verbena {
namespace {

constexpr uint32_t kDepth = 128;

}  // namespace

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

WakePoster::WakePoster(const std::string& library) {
  CHECK(library_.Open(library));
  const VerbsFunctions& fn = library_.fn();
  int error = 0;
  context_ = library_.OpenDevice("sim0", &error);
  CHECK(context_ != nullptr);
  CHECK_EQ(library_.QueryPort(context_, 1, &port_), 0);
  pd_ = fn.ibv_alloc_pd(context_);
  cq_ = fn.ibv_create_cq(context_, kDepth, nullptr, nullptr, 0);
  vb_ibv_qp_init_attr init = {};
  init.send_cq = cq_;
  init.recv_cq = cq_;
  init.cap = {kDepth, 1, 1, 1, 0};
  init.qp_type = VB_IBV_QPT_RC;
  qp_ = fn.ibv_create_qp(pd_, &init);
  mr_ = fn.ibv_reg_mr(pd_, &time_, sizeof time_, VB_IBV_ACCESS_LOCAL_WRITE);
  CHECK(qp_ != nullptr && mr_ != nullptr);
}

WakePoster::~WakePoster() {
  if (thread_.joinable()) thread_.join();
  const VerbsFunctions& fn = library_.fn();
  CHECK_EQ(fn.ibv_destroy_qp(qp_), 0);
  CHECK_EQ(fn.ibv_dereg_mr(mr_), 0);
  CHECK_EQ(fn.ibv_destroy_cq(cq_), 0);
  CHECK_EQ(fn.ibv_dealloc_pd(pd_), 0);
  CHECK_EQ(fn.ibv_close_device(context_), 0);
}

void WakePoster::Start(uint32_t peer, int count, uint32_t interval_us) {
  Connect(library_.fn(), qp_, peer, port_.lid);
  thread_ = std::thread([=, this] { Run(count, interval_us); });
}

double WakePoster::Join() {
  thread_.join();
  return cpu_us_;
}

void WakePoster::Run(int count, uint32_t interval_us) {
  vb_ibv_sge sge = {reinterpret_cast<uint64_t>(&time_), sizeof time_, mr_->lkey};
  uint32_t open = 0;
  const auto poll = [&] {
    vb_ibv_wc sent;
    while (context_->ops.poll_cq(cq_, 1, &sent) == 1) open--;
  };
  for (int i = 0; i < count; i++) {
    // A receiver that does not run for a while holds the sends up.
    do {
      usleep(interval_us);
      poll();
    } while (open == kDepth);
    vb_ibv_send_wr wr = {};
    wr.send_flags = VB_IBV_SEND_SIGNALED;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = VB_IBV_WR_SEND;
    vb_ibv_send_wr* bad = nullptr;
    time_ = NowUs();
    CHECK_EQ(context_->ops.post_send(qp_, &wr, &bad), 0);
    open++;
    poll();
  }
  cpu_us_ = CpuUs(RUSAGE_THREAD);
}

}  // namespace verbena
