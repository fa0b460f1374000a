// The data path of one simulated HCA in this process: its numbers (queue pairs, keys), what they stand for, and its limits. The process
// lock guards all of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bytes.h"
#include "hca/protection.h"
#include "process.h"
#include "state-page.h"

namespace fabricsim {

class QueuePair;
class VerbsContext;
class Wire;

// What ibv_query_device says, and what is enforced.
struct HcaLimits {
  static constexpr uint32_t kQueuePairs = 65536;
  static constexpr uint32_t kWorkRequests = 16384;
  static constexpr uint32_t kSges = 32;
  static constexpr uint32_t kInline = 1024;
  static constexpr uint32_t kCompletions = 1u << 20;
  static constexpr uint32_t kRegions = (1u << 20) - 1;
  static constexpr uint32_t kReadsInFlight = 16;
  static constexpr uint32_t kMessage = 1u << 30;
  static constexpr uint32_t kMulticastGroups = 8192;
  static constexpr uint32_t kMulticastMembers = 1024;
  static constexpr int kVectors = 4;
};

class Hca {
 public:
  explicit Hca(Device &device);
  ~Hca();
  Hca(const Hca &) = delete;
  Hca &operator=(const Hca &) = delete;

  Device &device() { return device_; }
  // Set right after construction.
  void setWire(std::unique_ptr<Wire> wire);
  Wire &wire() { return *wire_; }

  // A free queue pair number for `qp`, asked of the fabric when none is left; 0 if it does not answer. The lock is released meanwhile.
  uint32_t addQueuePair(Lock &lock, QueuePair &qp);
  // Does nothing if that is done.
  void removeQueuePair(const QueuePair &qp);
  // NULL if there is none of that number in this process.
  QueuePair *queuePair(uint32_t qpn) const {
    auto found = queuePairs_.find(qpn);
    return found == queuePairs_.end() ? nullptr : found->second;
  }
  const std::unordered_map<uint32_t, QueuePair *> &queuePairs() const { return queuePairs_; }

  // Gives the region its key (used as lkey and as rkey); 0 if there are too many or the fabric does not answer.
  uint32_t addRegion(Lock &lock, MemoryRegion &region);
  // Does nothing if that is done.
  void removeRegion(const MemoryRegion &region);
  // NULL if the key is nobody's.
  MemoryRegion *region(uint32_t key) const {
    uint32_t slot = key & kSlotMask;
    return (key & ~kSlotMask) == keyTag_ && slot < regions_.size() ? regions_[slot] : nullptr;
  }

  // Queue pairs of this process in a multicast group.
  std::map<RawGid, std::vector<QueuePair *>> &groups() { return groups_; }

  // The port as the fabric shows it now, for paths that run per call; read again at most once per change of its page.
  const PortState *port(unsigned number);
  // A context was closed before what was made through it: its queue pairs and regions are no more, though their handles are.
  void abandon(Lock &lock, const VerbsContext &context);
  // The fabric has gone: everything in flight fails.
  void onLost();

 private:
  static constexpr uint32_t kSlotBits = 20;
  static constexpr uint32_t kSlotMask = (1u << kSlotBits) - 1;
  static constexpr uint32_t kQpnBlock = 64;
  // A key that was given back rests until this many others have been, so that a stale one is noticed.
  static constexpr size_t kSlotsKept = 1024;

  Device &device_;
  std::unique_ptr<Wire> wire_;
  std::unordered_map<uint32_t, QueuePair *> queuePairs_;
  std::deque<uint32_t> freeQpns_;
  uint32_t keyTag_ = 0;
  std::vector<MemoryRegion *> regions_{nullptr};  // slot 0 is never given: key 0 stands for none
  std::deque<uint32_t> freeSlots_;
  std::map<RawGid, std::vector<QueuePair *>> groups_;
  HcaState state_;
  uint32_t sequence_ = 0;
};

}  // namespace fabricsim
