// Sends that a program builds call by call (ibv_wr_start … ibv_wr_complete): posted together, or not at all.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class SendBatch {
 public:
  SendBatch();
  // Between start and complete or abort the batch is the calling thread's.
  void start();
  // Posts to `qp`, whose batch this is. 0; or an errno value, and nothing is posted.
  int complete(vb_ibv_qp *qp);
  void abort();

  // Begins a request; what follows is about it.
  vb_ibv_send_wr &add(uint64_t wrId, unsigned flags, int opcode);
  void setSges(const vb_ibv_sge *list, size_t count);
  void setInline(const vb_ibv_data_buf *list, size_t count);
  void setAddress(vb_ibv_ah *ah, uint32_t remoteQpn, uint32_t remoteQkey);

 private:
  struct Data {
    size_t firstSge = 0;
    size_t firstByte = 0;
    bool isInline = false;
  };

  // False, and the batch is spoilt, if there is no request yet.
  bool hasRequest();
  // Pointers from request to request and to their data, which stay where they are from here on.
  void link();

  std::mutex building_;
  std::vector<vb_ibv_send_wr> requests_;
  std::vector<Data> data_;  // of each request
  std::vector<vb_ibv_sge> sges_;
  std::vector<uint8_t> bytes_;
  int error_ = 0;
};

// The kinds of sends a queue pair of type `type` can be asked for at creation: VB_IBV_QP_EX_WITH_….
uint64_t sendOperationsOf(int type);
// Gives `handle` its functions; of the operations those in `operations`.
void setBatchFunctions(vb_ibv_qp_ex &handle, uint64_t operations);

}  // namespace fabricsim
