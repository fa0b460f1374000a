#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/objects.h"

namespace verbena {

// A work request as JavaScript writes it (src/verbs/work-records.ts): host order, naturally aligned, followed by as many segments as its
// block has room for in each record. No pointers and no keys: regions and address handles go by number, and are checked here.
struct WorkRecord {
  uint32_t opcode;  // enum ibv_wr_opcode; of no meaning in a receive, as all that is not said to be
  uint32_t flags;   // enum ibv_send_flags
  uint32_t imm;     // host order
  uint32_t segment_count;  // receives too
  double wr_id;            // receives too
  uint32_t token;          // receives too
  uint32_t address_handle;
  uint32_t remote_qpn;
  uint32_t remote_qkey;
  uint64_t remote_address;
  uint64_t compare_add;
  uint64_t swap;
  uint32_t rkey;
  uint32_t reserved;
};
static_assert(sizeof(WorkRecord) == 72);

struct WorkSegment {
  uint32_t region;
  uint32_t length;
  double offset;  // from the begin of the region
};
static_assert(sizeof(WorkSegment) == 16);

// Work requests, translated for the hardware. May be posted again and again; the memory stays registered only as long as its owner
// wants, so each post looks whether it still is.
class WorkBatch {
 public:
  enum class Kind { kSend, kReceive };
  enum class Outcome { kPosted, kNoCredits, kGone, kRefused };
  struct Result {
    Outcome outcome;
    uint32_t posted;  // taken by the hardware, also if it has refused the one after them
    int error;        // of kRefused
  };

  explicit WorkBatch(Kind kind) : kind_(kind) {}

  // Translates `count` records of `max_segments` segments each. False leaves the reason in error().
  bool Build(const Device& device, const uint8_t* records, size_t size, uint32_t count, uint32_t max_segments);
  const std::string& error() const { return error_; }
  // Lets go of regions and address handles.
  void Clear();
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

  // To the queue of this batch's kind.
  Result Post(QueuePair& pair);
  Result Post(SharedReceiveQueue& queue);

 private:
  bool AddSegments(const Device& device, const WorkRecord& record, const uint8_t* at);
  bool Fail(uint32_t index, const std::string& reason);
  bool IsIntact() const;
  template <typename Request, typename Call>
  Result PostList(std::vector<Request>& requests, WorkLedger& ledger, Call call);

  const Kind kind_;
  std::vector<LedgerEntry> entries_;
  std::vector<vb_ibv_send_wr> sends_;
  std::vector<vb_ibv_recv_wr> receives_;
  std::vector<vb_ibv_sge> segments_;
  std::vector<std::shared_ptr<Region>> regions_;
  std::vector<std::shared_ptr<AddressHandle>> handles_;
  bool has_handles_ = true;  // every request names an address handle
  std::string error_;
};

}  // namespace verbena
