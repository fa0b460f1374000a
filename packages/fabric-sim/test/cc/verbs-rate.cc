// The loop that other languages are compared with: two queue pairs of one HCA in this process, `batch` sends posted and completed at a time.
//   verbs-rate rc|ud SIZE BATCH SECONDS
// prints messages per second and bytes per second.
#include <errno.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "verbs-api.h"

using namespace test;
using Clock = std::chrono::steady_clock;

namespace {

// Registered memory that begins with a page, as that of the loop which is compared with this one, and was written to.
class Pages {
 public:
  Pages(vb_ibv_pd *pd, size_t size) : size_(size) {
    void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapped != MAP_FAILED);
    bytes_ = static_cast<uint8_t *>(mapped);
    memset(bytes_, kFilling, size);
    mr_ = ibv_reg_mr(pd, bytes_, size, kAllAccess);
    CHECK(mr_ != nullptr);
  }
  ~Pages() {
    CHECK(ibv_dereg_mr(mr_) == 0);
    CHECK(munmap(bytes_, size_) == 0);
  }
  vb_ibv_sge sge(size_t length) const { return {reinterpret_cast<uint64_t>(bytes_), static_cast<uint32_t>(length), mr_->lkey}; }

 private:
  static constexpr int kFilling = 0x5a;
  uint8_t *bytes_ = nullptr;
  size_t size_;
  vb_ibv_mr *mr_ = nullptr;
};

}  // namespace

int main(int count, char **words) {
  CHECK(count == 5);
  int type = std::string(words[1]) == "ud" ? VB_IBV_QPT_UD : VB_IBV_QPT_RC;
  size_t size = strtoull(words[2], nullptr, 10);
  int batch = atoi(words[3]);
  double seconds = atof(words[4]);
  Fixture f(4 * batch + 16);
  size_t header = type == VB_IBV_QPT_UD ? 40 : 0;
  Pages from(f.pd, size);
  Pages into(f.pd, size + header);
  {
    Pair a(f, type, nullptr, false, static_cast<uint32_t>(batch));
    Pair b(f, type, nullptr, false, static_cast<uint32_t>(batch));
    vb_ibv_ah *ah = nullptr;
    if (type == VB_IBV_QPT_UD) {
      for (Pair *p : {&a, &b}) {
        p->init();
        p->toRtr(0, 0);
        p->toRts();
      }
      vb_ibv_ah_attr to = {};
      to.dlid = f.port.lid;
      to.port_num = 1;
      ah = ibv_create_ah(f.pd, &to);
    } else {
      a.connect(b);
      b.connect(a);
    }
    vb_ibv_sge fromSge = from.sge(size);
    vb_ibv_sge intoSge = into.sge(size + header);
    std::vector<vb_ibv_send_wr> sends(batch);
    std::vector<vb_ibv_recv_wr> receives(batch);
    for (int i = 0; i < batch; ++i) {
      sends[i] = {};
      sends[i].wr_id = static_cast<uint64_t>(i);
      sends[i].next = i + 1 < batch ? &sends[i + 1] : nullptr;
      sends[i].sg_list = &fromSge;
      sends[i].num_sge = 1;
      sends[i].opcode = VB_IBV_WR_SEND;
      sends[i].send_flags = VB_IBV_SEND_SIGNALED;
      if (ah != nullptr) sends[i].wr.ud = {ah, b.qp->qp_num, kQkey};
      receives[i] = {static_cast<uint64_t>(i), i + 1 < batch ? &receives[i + 1] : nullptr, &intoSge, 1};
    }
    std::vector<vb_ibv_wc> completions(2 * batch);
    uint64_t messages = 0;
    auto start = Clock::now();
    auto end = start + std::chrono::duration<double>(seconds);
    while (Clock::now() < end) {
      for (int round = 0; round < 16; ++round) {
        vb_ibv_recv_wr *badReceive = nullptr;
        vb_ibv_send_wr *badSend = nullptr;
        CHECK(f.context->ops.post_recv(b.qp, receives.data(), &badReceive) == 0);
        CHECK(f.context->ops.post_send(a.qp, sends.data(), &badSend) == 0);
        for (int done = 0; done < 2 * batch;) {
          int n = f.poll(completions.data(), 2 * batch);
          for (int i = 0; i < n; ++i) CHECK(completions[i].status == VB_IBV_WC_SUCCESS);
          done += n;
        }
        messages += static_cast<uint64_t>(batch);
      }
    }
    double took = std::chrono::duration<double>(Clock::now() - start).count();
    printf("%.0f %.0f\n", static_cast<double>(messages) / took, static_cast<double>(messages * size) / took);
    if (ah != nullptr) CHECK(ibv_destroy_ah(ah) == 0);
  }
  return 0;
}
