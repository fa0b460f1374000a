#include "hca/send-batch.h"

#include <cerrno>

#include "hca/queue-pair.h"
#include "process.h"

namespace fabricsim {

// An inline message of no length has an address too.
SendBatch::SendBatch() : bytes_(1) {}

void SendBatch::start() {
  building_.lock();
  requests_.clear();
  data_.clear();
  sges_.clear();
  bytes_.clear();
  error_ = 0;
}

int SendBatch::complete(vb_ibv_qp *qp) {
  int error = error_;
  if (error == 0 && !requests_.empty()) {
    link();
    QueuePair &pair = QueuePair::of(qp);
    Lock lock = Process::get().lock();
    for (uint32_t i = 0; i < requests_.size() && error == 0; ++i) error = pair.admit(requests_[i], i);
    if (error == 0) error = pair.postSend(requests_.data(), nullptr);
  }
  building_.unlock();
  return error;
}

void SendBatch::abort() { building_.unlock(); }

vb_ibv_send_wr &SendBatch::add(uint64_t wrId, unsigned flags, int opcode) {
  data_.push_back({sges_.size(), bytes_.size()});
  vb_ibv_send_wr &request = requests_.emplace_back();
  request.wr_id = wrId;
  request.opcode = opcode;
  // Whether data is inline is said by the call that gives it.
  request.send_flags = flags & ~static_cast<unsigned>(VB_IBV_SEND_INLINE);
  return request;
}

bool SendBatch::hasRequest() {
  if (requests_.empty()) error_ = EINVAL;
  return !requests_.empty();
}

void SendBatch::setSges(const vb_ibv_sge *list, size_t count) {
  if (!hasRequest()) return;
  // Setting twice replaces: the data is the last there is.
  sges_.resize(data_.back().firstSge);
  sges_.insert(sges_.end(), list, list + count);
  requests_.back().num_sge = static_cast<int>(count);
}

void SendBatch::setInline(const vb_ibv_data_buf *list, size_t count) {
  if (!hasRequest()) return;
  bytes_.resize(data_.back().firstByte);
  for (size_t i = 0; i < count; ++i) {
    const auto *from = static_cast<const uint8_t *>(list[i].addr);
    bytes_.insert(bytes_.end(), from, from + list[i].length);
  }
  data_.back().isInline = true;
  vb_ibv_sge all = {0, static_cast<uint32_t>(bytes_.size() - data_.back().firstByte), 0};
  setSges(&all, 1);
  requests_.back().send_flags |= VB_IBV_SEND_INLINE;
}

void SendBatch::setAddress(vb_ibv_ah *ah, uint32_t remoteQpn, uint32_t remoteQkey) {
  if (!hasRequest()) return;
  requests_.back().wr.ud = {ah, remoteQpn, remoteQkey};
}

void SendBatch::link() {
  for (size_t i = 0; i < requests_.size(); ++i) {
    const Data &data = data_[i];
    requests_[i].next = i + 1 < requests_.size() ? &requests_[i + 1] : nullptr;
    requests_[i].sg_list = sges_.data() + data.firstSge;
    if (data.isInline) requests_[i].sg_list->addr = reinterpret_cast<uint64_t>(bytes_.data() + data.firstByte);
  }
}

namespace {

SendBatch &batchOf(vb_ibv_qp_ex *handle) { return *QueuePair::of(&handle->qp_base).batch(); }

vb_ibv_send_wr &add(vb_ibv_qp_ex *handle, int opcode) { return batchOf(handle).add(handle->wr_id, handle->wr_flags, opcode); }

void addRdma(vb_ibv_qp_ex *handle, int opcode, uint32_t rkey, uint64_t address, uint32_t immediate = 0) {
  vb_ibv_send_wr &request = add(handle, opcode);
  request.be_imm_data = immediate;
  request.wr.rdma = {address, rkey};
}

void compareAndSwap(vb_ibv_qp_ex *handle, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap) {
  add(handle, VB_IBV_WR_ATOMIC_CMP_AND_SWP).wr.atomic = {address, compare, swap, rkey};
}

void fetchAndAdd(vb_ibv_qp_ex *handle, uint32_t rkey, uint64_t address, uint64_t value) {
  add(handle, VB_IBV_WR_ATOMIC_FETCH_AND_ADD).wr.atomic = {address, value, 0, rkey};
}

void rdmaRead(vb_ibv_qp_ex *handle, uint32_t rkey, uint64_t address) { addRdma(handle, VB_IBV_WR_RDMA_READ, rkey, address); }

void rdmaWrite(vb_ibv_qp_ex *handle, uint32_t rkey, uint64_t address) { addRdma(handle, VB_IBV_WR_RDMA_WRITE, rkey, address); }

void rdmaWriteImmediate(vb_ibv_qp_ex *handle, uint32_t rkey, uint64_t address, uint32_t immediate) {
  addRdma(handle, VB_IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address, immediate);
}

void send(vb_ibv_qp_ex *handle) { add(handle, VB_IBV_WR_SEND); }

void sendImmediate(vb_ibv_qp_ex *handle, uint32_t immediate) { add(handle, VB_IBV_WR_SEND_WITH_IMM).be_imm_data = immediate; }

void setAddress(vb_ibv_qp_ex *handle, vb_ibv_ah *ah, uint32_t remoteQpn, uint32_t remoteQkey) {
  batchOf(handle).setAddress(ah, remoteQpn, remoteQkey);
}

void setInlineData(vb_ibv_qp_ex *handle, void *bytes, size_t length) {
  vb_ibv_data_buf all = {bytes, length};
  batchOf(handle).setInline(&all, 1);
}

void setInlineDataList(vb_ibv_qp_ex *handle, size_t count, const vb_ibv_data_buf *list) { batchOf(handle).setInline(list, count); }

void setSge(vb_ibv_qp_ex *handle, uint32_t lkey, uint64_t address, uint32_t length) {
  vb_ibv_sge one = {address, length, lkey};
  batchOf(handle).setSges(&one, 1);
}

void setSgeList(vb_ibv_qp_ex *handle, size_t count, const vb_ibv_sge *list) { batchOf(handle).setSges(list, count); }

void start(vb_ibv_qp_ex *handle) { batchOf(handle).start(); }

int complete(vb_ibv_qp_ex *handle) { return batchOf(handle).complete(&handle->qp_base); }

void abort(vb_ibv_qp_ex *handle) { batchOf(handle).abort(); }

}  // namespace

uint64_t sendOperationsOf(int type) {
  constexpr uint64_t kSends = VB_IBV_QP_EX_WITH_SEND | VB_IBV_QP_EX_WITH_SEND_WITH_IMM;
  constexpr uint64_t kWrites = VB_IBV_QP_EX_WITH_RDMA_WRITE | VB_IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
  constexpr uint64_t kReads = VB_IBV_QP_EX_WITH_RDMA_READ | VB_IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | VB_IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
  switch (type) {
    case VB_IBV_QPT_RC:
      return kSends | kWrites | kReads;
    case VB_IBV_QPT_UC:
      return kSends | kWrites;
    case VB_IBV_QPT_UD:
      return kSends;
    default:
      return 0;
  }
}

void setBatchFunctions(vb_ibv_qp_ex &handle, uint64_t operations) {
  auto has = [operations](uint64_t operation) { return (operations & operation) != 0; };
  if (has(VB_IBV_QP_EX_WITH_SEND)) handle.wr_send = send;
  if (has(VB_IBV_QP_EX_WITH_SEND_WITH_IMM)) handle.wr_send_imm = sendImmediate;
  if (has(VB_IBV_QP_EX_WITH_RDMA_WRITE)) handle.wr_rdma_write = rdmaWrite;
  if (has(VB_IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)) handle.wr_rdma_write_imm = rdmaWriteImmediate;
  if (has(VB_IBV_QP_EX_WITH_RDMA_READ)) handle.wr_rdma_read = rdmaRead;
  if (has(VB_IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)) handle.wr_atomic_cmp_swp = compareAndSwap;
  if (has(VB_IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)) handle.wr_atomic_fetch_add = fetchAndAdd;
  if (handle.qp_base.qp_type == VB_IBV_QPT_UD) handle.wr_set_ud_addr = setAddress;
  handle.wr_set_inline_data = setInlineData;
  handle.wr_set_inline_data_list = setInlineDataList;
  handle.wr_set_sge = setSge;
  handle.wr_set_sge_list = setSgeList;
  handle.wr_start = start;
  handle.wr_complete = complete;
  handle.wr_abort = abort;
}

}  // namespace fabricsim
