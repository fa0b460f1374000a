#pragma once

// Objects of libibverbs, each destroyed with its last owner. Children own their parents, so the order of destruction is right whoever lets
// go first: queue pairs, regions and address handles, completion queues, channels, protection domains, the device.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "rdma/completion-records.h"
#include "rdma/id-table.h"
#include "rdma/live-count.h"
#include "rdma/work-ledger.h"
#include "verbs-library.h"

namespace verbena {

class Region;
class AddressHandle;
class CompletionQueue;

// An open device, and the numbers that its objects go by.
class Device : public LiveCount<Device> {
 public:
  Device(std::shared_ptr<VerbsLibrary> library, vb_ibv_context* context) : library_(std::move(library)), context_(context) {}
  ~Device() { fn().ibv_close_device(context_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const VerbsLibrary& library() const { return *library_; }
  const VerbsFunctions& fn() const { return library_->fn(); }
  vb_ibv_context* context() const { return context_; }

  IdTable<WorkLedger> ledgers;
  IdTable<Region> regions;
  IdTable<AddressHandle> address_handles;
  IdTable<CompletionQueue> completion_queues;
  std::atomic<uint32_t> last_srq_id = 0;

 private:
  std::shared_ptr<VerbsLibrary> library_;
  vb_ibv_context* context_;
};

class ProtectionDomain : public LiveCount<ProtectionDomain> {
 public:
  // NULL with the errno in `error`, as of all Create functions here.
  static std::shared_ptr<ProtectionDomain> Create(std::shared_ptr<Device> device, int* error);
  ProtectionDomain(std::shared_ptr<Device> the_device, vb_ibv_pd* the_pd) : device(std::move(the_device)), pd(the_pd) {}
  ~ProtectionDomain() { device->fn().ibv_dealloc_pd(pd); }
  ProtectionDomain(const ProtectionDomain&) = delete;
  ProtectionDomain& operator=(const ProtectionDomain&) = delete;

  const std::shared_ptr<Device> device;
  vb_ibv_pd* const pd;
};

// Registered memory. The owner keeps the memory itself in place until it is deregistered.
class Region : public LiveCount<Region> {
 public:
  static std::shared_ptr<Region> Create(std::shared_ptr<ProtectionDomain> domain, void* address, size_t length, int access, int* error);
  Region(std::shared_ptr<ProtectionDomain> the_domain, vb_ibv_mr* the_mr) : domain(std::move(the_domain)), mr(the_mr) {}
  ~Region() { Release(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Ends the registration, whoever else owns this object. Idempotent.
  void Release() { Deregister(Retire()); }
  // The two halves of it: no request finds the region any more (posting thread), and what Retire gave is deregistered (any thread).
  vb_ibv_mr* Retire();
  void Deregister(vb_ibv_mr* retired) const;

  const std::shared_ptr<ProtectionDomain> domain;
  vb_ibv_mr* mr;  // NULL once retired
  uint32_t id = 0;
};

class AddressHandle : public LiveCount<AddressHandle> {
 public:
  static std::shared_ptr<AddressHandle> Create(std::shared_ptr<ProtectionDomain> domain, vb_ibv_ah_attr* attributes, int* error);
  AddressHandle(std::shared_ptr<ProtectionDomain> the_domain, vb_ibv_ah* the_ah) : domain(std::move(the_domain)), ah(the_ah) {}
  ~AddressHandle() { Release(); }
  AddressHandle(const AddressHandle&) = delete;
  AddressHandle& operator=(const AddressHandle&) = delete;

  // Destroys it, whoever else owns this object. Idempotent. In two halves as a region.
  void Release() { Destroy(Retire()); }
  vb_ibv_ah* Retire();
  void Destroy(vb_ibv_ah* retired) const;

  const std::shared_ptr<ProtectionDomain> domain;
  vb_ibv_ah* ah;  // NULL once retired
  uint32_t id = 0;
};

// A completion event channel; its descriptor never blocks. Any thread may read it, and each event reaches one of them.
class CompletionChannel : public LiveCount<CompletionChannel> {
 public:
  static std::shared_ptr<CompletionChannel> Create(std::shared_ptr<Device> device, int* error);
  CompletionChannel(std::shared_ptr<Device> the_device, vb_ibv_comp_channel* the_channel) : device(std::move(the_device)), channel(the_channel) {}
  ~CompletionChannel() { device->fn().ibv_destroy_comp_channel(channel); }
  CompletionChannel(const CompletionChannel&) = delete;
  CompletionChannel& operator=(const CompletionChannel&) = delete;

  // Takes one event and counts it. 0 with its queue in `queue` (NULL: of one that is being destroyed), or an errno: EAGAIN if there is none.
  int Read(std::shared_ptr<CompletionQueue>* queue);
  const std::shared_ptr<Device> device;
  vb_ibv_comp_channel* const channel;
  std::atomic<int> queue_count = 0;
  std::mutex mutex;  // an event is taken and counted in one step, or a queue's destruction would wait for an acknowledgement for ever
};

// The work queues whose completions came last: those of few queues come again and again.
class LedgerCache {
 public:
  explicit LedgerCache(const Device& device) : device_(device) {}

  // Before a batch. Queues that are gone meanwhile are forgotten.
  void Refresh() {
    const uint32_t removals = device_.ledgers.removals();
    if (removals == removals_) return;
    removals_ = removals;
    for (Slot& slot : slots_) slot = {};
  }

  // NULL if there is none, or none any more.
  WorkLedger* Find(uint32_t id) {
    Slot& slot = slots_[id % kSlots];
    return slot.id == id ? slot.ledger.get() : Load(slot, id);
  }

 private:
  static constexpr uint32_t kSlots = 8;
  struct Slot {
    uint32_t id = 0;  // 0: empty
    std::shared_ptr<WorkLedger> ledger;
  };
  WorkLedger* Load(Slot& slot, uint32_t id);
  const Device& device_;
  uint32_t removals_ = 0;
  Slot slots_[kSlots];
};

class CompletionQueue : public LiveCount<CompletionQueue>, public std::enable_shared_from_this<CompletionQueue> {
 public:
  // `channel` may be NULL.
  static std::shared_ptr<CompletionQueue> Create(std::shared_ptr<Device> device, std::shared_ptr<CompletionChannel> channel, int depth,
                                                 int vector, int* error);
  CompletionQueue(std::shared_ptr<Device> the_device, std::shared_ptr<CompletionChannel> the_channel)
      : device(std::move(the_device)), channel(std::move(the_channel)), ledgers_(*device) {}
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // 0 or an errno.
  int Arm(bool solicited_only) const;
  // Takes as many completions as there is room for. Their number or, negative, an errno. Some of them may be for the library: see
  // `has_tokens`.
  int Poll(const CompletionRecords& records, bool* has_tokens);
  // Acknowledges up to `count` of the events that were read.
  void Acknowledge(uint32_t count);

  const std::shared_ptr<Device> device;
  const std::shared_ptr<CompletionChannel> channel;
  vb_ibv_cq* cq = nullptr;
  uint32_t id = 0;

 private:
  friend class CompletionChannel;
  int Book(vb_ibv_wc* completions, uint32_t* tokens, int count);

  std::mutex mutex_;                        // completions are taken and booked in one step, so that they are booked in their order
  LedgerCache ledgers_;                     // under mutex_
  std::atomic<uint32_t> unacknowledged_ = 0;  // read, not acknowledged
  bool is_dying_ = false;                   // under the channel's mutex
};

class SharedReceiveQueue : public LiveCount<SharedReceiveQueue> {
 public:
  static std::shared_ptr<SharedReceiveQueue> Create(std::shared_ptr<ProtectionDomain> domain, uint32_t max_wr, uint32_t max_sge, int* error);
  explicit SharedReceiveQueue(std::shared_ptr<ProtectionDomain> the_domain) : domain(std::move(the_domain)) {}
  ~SharedReceiveQueue();
  SharedReceiveQueue(const SharedReceiveQueue&) = delete;
  SharedReceiveQueue& operator=(const SharedReceiveQueue&) = delete;

  const std::shared_ptr<ProtectionDomain> domain;
  vb_ibv_srq* srq = nullptr;
  uint32_t id = 0;
  std::shared_ptr<WorkLedger> receives;
};

struct QueuePairSetup {
  std::shared_ptr<CompletionQueue> send_cq;
  std::shared_ptr<CompletionQueue> recv_cq;
  std::shared_ptr<SharedReceiveQueue> srq;  // may be NULL
  int type = 0;
  bool signals_all = false;
  vb_ibv_qp_cap cap = {};
};

class QueuePair : public LiveCount<QueuePair> {
 public:
  static std::shared_ptr<QueuePair> Create(std::shared_ptr<ProtectionDomain> domain, const QueuePairSetup& setup, int* error);
  QueuePair(std::shared_ptr<ProtectionDomain> the_domain, const QueuePairSetup& the_setup) : domain(std::move(the_domain)), setup(the_setup) {}
  ~QueuePair();
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  // 0 or an errno. Attached groups are left before the queue pair is destroyed. Any thread.
  int Attach(const vb_ibv_gid& group, uint16_t lid);
  int Detach(const vb_ibv_gid& group, uint16_t lid);

  const std::shared_ptr<ProtectionDomain> domain;
  const QueuePairSetup setup;
  vb_ibv_qp* qp = nullptr;
  vb_ibv_qp_cap cap = {};  // as the device gave it
  std::shared_ptr<WorkLedger> sends;
  std::shared_ptr<WorkLedger> receives;  // the shared queue's where there is one

 private:
  struct Membership {
    vb_ibv_gid group;
    uint16_t lid;
  };
  std::mutex mutex_;
  std::vector<Membership> memberships_;  // under the mutex
};

}  // namespace verbena
