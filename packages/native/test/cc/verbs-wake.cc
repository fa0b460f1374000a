// How long after a post the one who waits for its event has the completion in hand: the loop that `pnpm bench verbs-wake` compares with.
//   verbs-wake LIBRARY COUNT INTERVAL_US
// One thread posts a message with the time in it (wake-poster.h), another waits on the channel. Prints the median and the 99th percentile in
// microseconds, and the share of a processor that the thread which waits has used.
#include <poll.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "check.h"
#include "rdma/objects.h"
#include "wake-poster.h"

using namespace verbena;

namespace {

constexpr uint32_t kDepth = 64;

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 4);
  const int count = atoi(argv[2]);
  WakePoster poster(argv[1]);
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
  vb_ibv_cq* cq = fn.ibv_create_cq(context, 2 * kDepth, nullptr, channel, 0);
  vb_ibv_qp_init_attr init = {};
  init.send_cq = cq;
  init.recv_cq = cq;
  init.cap = {1, kDepth, 1, 1, 0};
  init.qp_type = VB_IBV_QPT_RC;
  vb_ibv_qp* qp = fn.ibv_create_qp(pd, &init);
  Connect(fn, qp, poster.qpn(), port.lid);
  double time = 0;
  vb_ibv_mr* mr = fn.ibv_reg_mr(pd, &time, sizeof time, VB_IBV_ACCESS_LOCAL_WRITE);
  vb_ibv_sge sge = {reinterpret_cast<uint64_t>(&time), sizeof time, mr->lkey};
  const auto receive = [&] {
    vb_ibv_recv_wr wr = {0, nullptr, &sge, 1};
    vb_ibv_recv_wr* bad = nullptr;
    CHECK_EQ(context->ops.post_recv(qp, &wr, &bad), 0);
  };
  for (uint32_t i = 0; i < kDepth; i++) receive();
  CHECK_EQ(context->ops.req_notify_cq(cq, 0), 0);
  const double cpu = CpuUs(RUSAGE_THREAD);
  const double begin = NowUs();
  poster.Start(qp->qp_num, count, static_cast<uint32_t>(atoi(argv[3])));
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
      took.push_back(NowUs() - time);
      receive();
    }
  }
  const double share = (CpuUs(RUSAGE_THREAD) - cpu) / (NowUs() - begin);
  poster.Join();
  std::sort(took.begin(), took.end());
  printf("%.2f %.2f %.4f\n", took[took.size() / 2], took[took.size() * 99 / 100], share);
  return 0;
}
