#include "hca/hca.h"

#include <utility>

#include "hca/multicast-groups.h"
#include "hca/pinned-memory.h"
#include "hca/queue-pair.h"
#include "hca/wire.h"
#include "verbs-context.h"

namespace fabricsim {

Hca::Hca(Device &device) : device_(device) {}

Hca::~Hca() = default;

void Hca::setWire(std::unique_ptr<Wire> wire) { wire_ = std::move(wire); }

uint32_t Hca::addQueuePair(Lock &lock, QueuePair &qp) {
  if (freeQpns_.empty()) {
    uint32_t first = device_.client().reserve(lock, device_.hcaIndex(), attach::Number::Qpn, kQpnBlock);
    if (first == 0) return 0;
    for (uint32_t i = 0; i < kQpnBlock; ++i) freeQpns_.push_back(first + i);
  }
  uint32_t qpn = freeQpns_.front();
  freeQpns_.pop_front();
  qp.setQpn(qpn);
  queuePairs_.emplace(qpn, &qp);
  return qpn;
}

void Hca::removeQueuePair(const QueuePair &qp) {
  uint32_t qpn = qp.qpn();
  if (queuePair(qpn) != &qp) return;
  queuePairs_.erase(qpn);
  // To the far end: a number is used again as late as can be, since packets for it may be under way.
  freeQpns_.push_back(qpn);
}

uint32_t Hca::addRegion(Lock &lock, MemoryRegion &region) {
  if (keyTag_ == 0) {
    uint32_t tag = device_.client().reserve(lock, device_.hcaIndex(), attach::Number::KeyTag, 1);
    // Another thread may have been faster while the lock was open.
    if (tag != 0 && keyTag_ == 0) keyTag_ = tag << kSlotBits;
    if (keyTag_ == 0) return 0;
  }
  uint32_t slot;
  if (regions_.size() <= HcaLimits::kRegions && (freeSlots_.size() < kSlotsKept || regions_.size() == 1)) {
    slot = static_cast<uint32_t>(regions_.size());
    regions_.push_back(nullptr);
  } else if (!freeSlots_.empty()) {
    slot = freeSlots_.front();
    freeSlots_.pop_front();
  } else {
    return 0;
  }
  regions_[slot] = &region;
  return keyTag_ | slot;
}

void Hca::removeRegion(const MemoryRegion &removed) {
  uint32_t key = removed.handle.lkey;
  if (region(key) != &removed) return;
  uint32_t slot = key & kSlotMask;
  regions_[slot] = nullptr;
  freeSlots_.push_back(slot);
}

const PortState *Hca::port(unsigned number) {
  // A page that cannot be read leaves what was seen last: whoever needs to know that the fabric has gone asks the client.
  uint32_t sequence = device_.stateSequence();
  if (sequence != sequence_ || state_.ports.empty()) {
    HcaState fresh;
    if (device_.read(fresh)) {
      state_ = std::move(fresh);
      sequence_ = sequence;
    }
  }
  return state_.port(number);
}

void Hca::abandon(Lock &lock, const VerbsContext &context) {
  for (MemoryRegion *region : regions_) {
    if (region == nullptr || region->handle.context != context.handle()) continue;
    removeRegion(*region);
    unpin(std::exchange(region->pinned, 0));
  }
  std::vector<QueuePair *> pairs;
  for (const auto &[qpn, qp] : queuePairs_) {
    if (&qp->context() == &context) pairs.push_back(qp);
  }
  for (QueuePair *qp : pairs) {
    removeQueuePair(*qp);
    qp->stop();
  }
  // Last: the lock is open in between. Others than members of groups may be destroyed meanwhile.
  std::erase_if(pairs, [](const QueuePair *qp) { return qp->groupCount == 0; });
  device_.client().settle(lock);
  for (QueuePair *qp : pairs) leaveAllGroups(lock, *qp);
}

void Hca::onLost() {
  for (const auto &[qpn, qp] : queuePairs_) qp->fail(-1);
}

}  // namespace fabricsim
