// States and attributes of a queue pair: what a change of them does to its queues.
#include <cerrno>

#include "hca/qp-transitions.h"
#include "hca/queue-pair.h"
#include "hca/wire.h"

namespace fabricsim {

int QueuePair::modify(const vb_ibv_qp_attr &wanted, int mask) {
  if ((mask & VB_IBV_QP_CUR_STATE) != 0 && wanted.cur_qp_state != state()) return EINVAL;
  int to = (mask & VB_IBV_QP_STATE) != 0 ? wanted.qp_state : state();
  if (!isTransitionAllowed(type(), state(), to, mask)) return EINVAL;
  if ((mask & VB_IBV_QP_PORT) != 0 && hca_.port(wanted.port_num) == nullptr) return EINVAL;
  if ((mask & VB_IBV_QP_PKEY_INDEX) != 0) {
    const PortState *port = hca_.port((mask & VB_IBV_QP_PORT) != 0 ? wanted.port_num : attributes_.port_num);
    if (port == nullptr || wanted.pkey_index >= port->pkeys.size()) return EINVAL;
    attributes_.pkey_index = wanted.pkey_index;
  }
  if ((mask & VB_IBV_QP_PORT) != 0) attributes_.port_num = wanted.port_num;
  if ((mask & VB_IBV_QP_QKEY) != 0) attributes_.qkey = wanted.qkey;
  if ((mask & VB_IBV_QP_ACCESS_FLAGS) != 0) attributes_.qp_access_flags = wanted.qp_access_flags;
  if ((mask & VB_IBV_QP_AV) != 0) path_ = fromAttributes(wanted.ah_attr);
  if ((mask & VB_IBV_QP_PATH_MTU) != 0) attributes_.path_mtu = wanted.path_mtu;
  if ((mask & VB_IBV_QP_DEST_QPN) != 0) attributes_.dest_qp_num = wanted.dest_qp_num & 0xffffff;
  if ((mask & VB_IBV_QP_RQ_PSN) != 0) attributes_.rq_psn = wanted.rq_psn & 0xffffff;
  if ((mask & VB_IBV_QP_SQ_PSN) != 0) attributes_.sq_psn = wanted.sq_psn & 0xffffff;
  if ((mask & VB_IBV_QP_TIMEOUT) != 0) attributes_.timeout = wanted.timeout & 0x1f;
  if ((mask & VB_IBV_QP_RETRY_CNT) != 0) attributes_.retry_cnt = wanted.retry_cnt & 7;
  if ((mask & VB_IBV_QP_RNR_RETRY) != 0) attributes_.rnr_retry = wanted.rnr_retry & 7;
  if ((mask & VB_IBV_QP_MIN_RNR_TIMER) != 0) attributes_.min_rnr_timer = wanted.min_rnr_timer & 0x1f;
  if ((mask & VB_IBV_QP_MAX_QP_RD_ATOMIC) != 0) attributes_.max_rd_atomic = wanted.max_rd_atomic;
  if ((mask & VB_IBV_QP_MAX_DEST_RD_ATOMIC) != 0) attributes_.max_dest_rd_atomic = wanted.max_dest_rd_atomic;
  if ((mask & VB_IBV_QP_EN_SQD_ASYNC_NOTIFY) != 0) attributes_.en_sqd_async_notify = wanted.en_sqd_async_notify;
  enter(to);
  hca_.wire().push();
  return 0;
}

void QueuePair::enter(int to) {
  int from = state();
  handle_.state = to;
  switch (to) {
    case VB_IBV_QPS_RESET:
      stopWaiting();
      hca_.wire().forget(*this);
      sends_.clear();
      receives_.clear();
      sendCq_.forget(qpn());
      receiveCq_.forget(qpn());
      attributes_ = {};
      path_ = {};
      isEstablished_ = false;
      break;
    case VB_IBV_QPS_ERR:
      hca_.wire().forget(*this);
      flushSends();
      flushReceives();
      if (srq_ != nullptr && from != VB_IBV_QPS_ERR) event(VB_IBV_EVENT_QP_LAST_WQE_REACHED);
      break;
    case VB_IBV_QPS_SQD:
      if (from != VB_IBV_QPS_RTS) break;
      draining_ = sends_.size();
      if (draining_ == 0 && attributes_.en_sqd_async_notify != 0) event(VB_IBV_EVENT_SQ_DRAINED);
      break;
    case VB_IBV_QPS_RTS:
      if (from != VB_IBV_QPS_RTS) {
        progressed();
        advance();
      }
      break;
    default:
      break;
  }
}

void QueuePair::flushSends() {
  stopWaiting();
  while (!sends_.isEmpty()) finishSend(VB_IBV_WC_WR_FLUSH_ERR);
}

void QueuePair::flushReceives() {
  ReceiveRequest one;
  while (receives_.take(one)) failReceive(one.wrId, VB_IBV_WC_WR_FLUSH_ERR);
}

void QueuePair::query(vb_ibv_qp_attr &attributes, vb_ibv_qp_init_attr &init) const {
  attributes = attributes_;
  attributes.qp_state = attributes.cur_qp_state = state();
  attributes.sq_draining = state() == VB_IBV_QPS_SQD && draining_ > 0 ? 1 : 0;
  attributes.cap = cap_;
  attributes.ah_attr = toAttributes(path_);
  init = {};
  init.qp_context = handle_.qp_context;
  init.send_cq = handle_.send_cq;
  init.recv_cq = handle_.recv_cq;
  init.srq = handle_.srq;
  init.cap = cap_;
  init.qp_type = type();
  init.sq_sig_all = signalsAll_ ? 1 : 0;
}

}  // namespace fabricsim
