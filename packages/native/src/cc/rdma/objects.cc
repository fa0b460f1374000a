#include "rdma/objects.h"

#include <errno.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace verbena {
namespace {

int SavedErrno() { return errno != 0 ? errno : EIO; }

}  // namespace

std::shared_ptr<ProtectionDomain> ProtectionDomain::Create(std::shared_ptr<Device> device, int* error) {
  errno = 0;
  vb_ibv_pd* pd = device->fn().ibv_alloc_pd(device->context());
  if (pd != nullptr) return std::make_shared<ProtectionDomain>(std::move(device), pd);
  *error = SavedErrno();
  return nullptr;
}

std::shared_ptr<Region> Region::Create(std::shared_ptr<ProtectionDomain> domain, void* address, size_t length, int access, int* error) {
  errno = 0;
  vb_ibv_mr* mr = domain->device->fn().ibv_reg_mr(domain->pd, address, length, access);
  if (mr == nullptr) {
    *error = SavedErrno();
    return nullptr;
  }
  auto region = std::make_shared<Region>(std::move(domain), mr);
  region->id = region->domain->device->regions.Add(region);
  return region;
}

vb_ibv_mr* Region::Retire() {
  vb_ibv_mr* old = std::exchange(mr, nullptr);
  if (old != nullptr) domain->device->regions.Remove(id);
  return old;
}

void Region::Deregister(vb_ibv_mr* retired) const {
  if (retired != nullptr) domain->device->fn().ibv_dereg_mr(retired);
}

std::shared_ptr<AddressHandle> AddressHandle::Create(std::shared_ptr<ProtectionDomain> domain, vb_ibv_ah_attr* attributes, int* error) {
  errno = 0;
  vb_ibv_ah* ah = domain->device->fn().ibv_create_ah(domain->pd, attributes);
  if (ah == nullptr) {
    *error = SavedErrno();
    return nullptr;
  }
  auto handle = std::make_shared<AddressHandle>(std::move(domain), ah);
  handle->id = handle->domain->device->address_handles.Add(handle);
  return handle;
}

vb_ibv_ah* AddressHandle::Retire() {
  vb_ibv_ah* old = std::exchange(ah, nullptr);
  if (old != nullptr) domain->device->address_handles.Remove(id);
  return old;
}

void AddressHandle::Destroy(vb_ibv_ah* retired) const {
  if (retired != nullptr) domain->device->fn().ibv_destroy_ah(retired);
}

std::shared_ptr<SharedReceiveQueue> SharedReceiveQueue::Create(std::shared_ptr<ProtectionDomain> domain, uint32_t max_wr,
                                                               uint32_t max_sge, int* error) {
  auto queue = std::make_shared<SharedReceiveQueue>(std::move(domain));
  Device& device = *queue->domain->device;
  queue->id = ++device.last_srq_id;
  vb_ibv_srq_init_attr init = {};
  init.srq_context = queue.get();
  init.attr.max_wr = max_wr;
  init.attr.max_sge = max_sge;
  errno = 0;
  queue->srq = device.fn().ibv_create_srq(queue->domain->pd, &init);
  if (queue->srq == nullptr) {
    *error = SavedErrno();
    return nullptr;
  }
  queue->receives = std::make_shared<WorkLedger>(max_wr, WorkLedger::Order::kAny);
  queue->receives->set_id(device.ledgers.Add(queue->receives));
  return queue;
}

SharedReceiveQueue::~SharedReceiveQueue() {
  if (srq != nullptr) domain->device->fn().ibv_destroy_srq(srq);
  if (receives != nullptr) domain->device->ledgers.Remove(receives->id());
}

std::shared_ptr<QueuePair> QueuePair::Create(std::shared_ptr<ProtectionDomain> domain, const QueuePairSetup& setup, int* error) {
  auto pair = std::make_shared<QueuePair>(std::move(domain), setup);
  Device& device = *pair->domain->device;
  vb_ibv_qp_init_attr init = {};
  init.qp_context = pair.get();
  init.send_cq = setup.send_cq->cq;
  init.recv_cq = setup.recv_cq->cq;
  init.srq = setup.srq != nullptr ? setup.srq->srq : nullptr;
  init.cap = setup.cap;
  init.qp_type = setup.type;
  init.sq_sig_all = setup.signals_all ? 1 : 0;
  errno = 0;
  pair->qp = device.fn().ibv_create_qp(pair->domain->pd, &init);
  if (pair->qp == nullptr) {
    *error = SavedErrno();
    return nullptr;
  }
  pair->cap = init.cap;
  // What was asked for, not what the device rounded it up to: the completion queues were sized by it.
  pair->sends = std::make_shared<WorkLedger>(setup.cap.max_send_wr, WorkLedger::Order::kPosted);
  pair->sends->set_id(device.ledgers.Add(pair->sends));
  if (setup.srq != nullptr) {
    pair->receives = setup.srq->receives;
  } else {
    pair->receives = std::make_shared<WorkLedger>(setup.cap.max_recv_wr, WorkLedger::Order::kPosted);
    pair->receives->set_id(device.ledgers.Add(pair->receives));
  }
  return pair;
}

QueuePair::~QueuePair() {
  if (qp == nullptr) return;
  Device& device = *domain->device;
  for (const Membership& one : memberships_) device.fn().ibv_detach_mcast(qp, &one.group, one.lid);
  device.fn().ibv_destroy_qp(qp);
  device.ledgers.Remove(sends->id());
  if (setup.srq == nullptr) device.ledgers.Remove(receives->id());
}

int QueuePair::Attach(const vb_ibv_gid& group, uint16_t lid) {
  const std::lock_guard lock(mutex_);
  const int error = domain->device->fn().ibv_attach_mcast(qp, &group, lid);
  if (error != 0) return error;
  // Attaching twice is one attachment.
  for (const Membership& one : memberships_) {
    if (one.lid == lid && std::equal(std::begin(one.group.raw), std::end(one.group.raw), group.raw)) return 0;
  }
  memberships_.push_back({group, lid});
  return 0;
}

int QueuePair::Detach(const vb_ibv_gid& group, uint16_t lid) {
  const std::lock_guard lock(mutex_);
  const int error = domain->device->fn().ibv_detach_mcast(qp, &group, lid);
  if (error != 0) return error;
  std::erase_if(memberships_, [&](const Membership& one) {
    return one.lid == lid && std::equal(std::begin(one.group.raw), std::end(one.group.raw), group.raw);
  });
  return 0;
}

}  // namespace verbena
