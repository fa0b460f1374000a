#include "rdma/work-records.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <cmath>

namespace verbena {
namespace {

// The one of number `id`, from those that this batch has met already if it is the same as the last.
template <typename T>
T* Find(const IdTable<T>& table, uint32_t id, std::vector<std::shared_ptr<T>>* met) {
  if (!met->empty() && met->back()->id == id) return met->back().get();
  auto found = table.Find(id);
  if (found == nullptr) return nullptr;
  met->push_back(std::move(found));
  return met->back().get();
}

bool IsAtomic(uint32_t opcode) { return opcode == VB_IBV_WR_ATOMIC_CMP_AND_SWP || opcode == VB_IBV_WR_ATOMIC_FETCH_AND_ADD; }

}  // namespace

bool WorkBatch::Fail(uint32_t index, const std::string& reason) {
  error_ = "request " + std::to_string(index) + ": " + reason;
  return false;
}

void WorkBatch::Clear() {
  entries_.clear();
  sends_.clear();
  receives_.clear();
  segments_.clear();
  regions_.clear();
  handles_.clear();
  has_handles_ = true;
}

bool WorkBatch::Build(const Device& device, const uint8_t* records, size_t size, uint32_t count, uint32_t max_segments) {
  const size_t stride = sizeof(WorkRecord) + size_t{max_segments} * sizeof(WorkSegment);
  if (count == 0 || size / stride < count) return Fail(0, "the block is shorter than its requests");
  Clear();
  segments_.reserve(size_t{count} * max_segments);  // requests point into it: it must not move
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t* at = records + i * stride;
    WorkRecord record;
    memcpy(&record, at, sizeof record);
    vb_ibv_sge* first = segments_.data() + segments_.size();
    if (record.segment_count > max_segments) return Fail(i, "more segments than its block has room for");
    if (!AddSegments(device, record, at + sizeof record)) return Fail(i, error_);
    entries_.push_back({record.wr_id, record.token});
    const int segment_count = static_cast<int>(record.segment_count);
    if (kind_ == Kind::kReceive) {
      receives_.push_back({0, nullptr, first, segment_count});
      continue;
    }
    vb_ibv_send_wr& request = sends_.emplace_back();
    request = {};
    request.sg_list = first;
    request.num_sge = segment_count;
    request.opcode = static_cast<int>(record.opcode);
    request.send_flags = record.flags;
    request.be_imm_data = htobe32(record.imm);
    if (record.address_handle != 0) {
      AddressHandle* handle = Find(device.address_handles, record.address_handle, &handles_);
      if (handle == nullptr || handle->ah == nullptr) return Fail(i, "the address handle is closed, or of another context");
      request.wr.ud = {handle->ah, record.remote_qpn, record.remote_qkey};
      continue;
    }
    has_handles_ = false;
    if (IsAtomic(record.opcode)) {
      request.wr.atomic = {record.remote_address, record.compare_add, record.swap, record.rkey};
    } else {
      request.wr.rdma = {record.remote_address, record.rkey};
    }
  }
  for (size_t i = 0; i + 1 < sends_.size(); i++) sends_[i].next = &sends_[i + 1];
  for (size_t i = 0; i + 1 < receives_.size(); i++) receives_[i].next = &receives_[i + 1];
  return true;
}

bool WorkBatch::AddSegments(const Device& device, const WorkRecord& record, const uint8_t* at) {
  for (uint32_t i = 0; i < record.segment_count; i++, at += sizeof(WorkSegment)) {
    WorkSegment segment;
    memcpy(&segment, at, sizeof segment);
    Region* region = Find(device.regions, segment.region, &regions_);
    if (region == nullptr || region->mr == nullptr) {
      error_ = "the memory region is closed, or of another context";
      return false;
    }
    const double end = static_cast<double>(region->mr->length) - segment.length;
    if (!(segment.offset >= 0 && segment.offset <= end) || segment.offset != std::floor(segment.offset)) {
      error_ = "a segment lies beyond its memory region";
      return false;
    }
    segments_.push_back({reinterpret_cast<uint64_t>(region->mr->addr) + static_cast<uint64_t>(segment.offset), segment.length, region->mr->lkey});
  }
  return true;
}

bool WorkBatch::IsIntact() const {
  for (const auto& region : regions_) {
    if (region->mr == nullptr) return false;
  }
  for (const auto& handle : handles_) {
    if (handle->ah == nullptr) return false;
  }
  return true;
}

template <typename Request, typename Call>
WorkBatch::Result WorkBatch::PostList(std::vector<Request>& requests, WorkLedger& ledger, Call call) {
  if (requests.size() > ledger.Credits()) return {Outcome::kNoCredits, 0, 0};
  if (!IsIntact()) return {Outcome::kGone, 0, 0};
  ledger.Take(entries_, [&](size_t i, uint64_t number) { requests[i].wr_id = number; });
  Request* bad = nullptr;
  errno = 0;
  const int result = call(requests.data(), &bad);
  if (result == 0) return {Outcome::kPosted, size(), 0};
  const int error = result > 0 ? result : (errno != 0 ? errno : EIO);
  const size_t posted = bad != nullptr ? static_cast<size_t>(bad - requests.data()) : 0;
  for (size_t i = requests.size(); i > posted; i--) ledger.GiveBack(requests[i - 1].wr_id);
  return {Outcome::kRefused, static_cast<uint32_t>(posted), error};
}

WorkBatch::Result WorkBatch::Post(QueuePair& pair) {
  const vb_ibv_context_ops& ops = pair.qp->context->ops;
  if (kind_ == Kind::kSend) {
    // The library follows the pointer of a datagram's address handle unchecked.
    if (pair.setup.type == VB_IBV_QPT_UD && !has_handles_) return {Outcome::kGone, 0, 0};
    return PostList(sends_, *pair.sends, [&](vb_ibv_send_wr* list, vb_ibv_send_wr** bad) { return ops.post_send(pair.qp, list, bad); });
  }
  return PostList(receives_, *pair.receives,
                  [&](vb_ibv_recv_wr* list, vb_ibv_recv_wr** bad) { return ops.post_recv(pair.qp, list, bad); });
}

WorkBatch::Result WorkBatch::Post(SharedReceiveQueue& queue) {
  const vb_ibv_context_ops& ops = queue.srq->context->ops;
  return PostList(receives_, *queue.receives,
                  [&](vb_ibv_recv_wr* list, vb_ibv_recv_wr** bad) { return ops.post_srq_recv(queue.srq, list, bad); });
}

}  // namespace verbena
