#include "hca/extended-operations.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hca/completion-cursor.h"
#include "hca/completion-queue.h"
#include "hca/creation.h"
#include "hca/device-memory.h"
#include "hca/queue-pair.h"
#include "hca/send-batch.h"
#include "none.h"
#include "verbs-query.h"

namespace fabricsim {

namespace {

constexpr uint64_t kStampClockKilohertz = 1'000'000;  // time stamps are nanoseconds

// Who polls from one thread only needs no lock, and is not hurt by one.
constexpr uint32_t kQueueFlags = VB_IBV_CREATE_CQ_ATTR_SINGLE_THREADED;

vb_ibv_cq_ex *createQueue(vb_ibv_context *context, vb_ibv_cq_init_attr_ex *attributes) {
  if ((attributes->comp_mask & ~static_cast<uint32_t>(VB_IBV_CQ_INIT_ATTR_MASK_FLAGS)) != 0) return none<vb_ibv_cq_ex>(EINVAL);
  bool hasFlags = (attributes->comp_mask & VB_IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0;
  bool isKnown = (attributes->wc_flags & ~kReadableFields) == 0 && (!hasFlags || (attributes->flags & ~kQueueFlags) == 0);
  if (!isKnown) return none<vb_ibv_cq_ex>(EOPNOTSUPP);
  CompletionQueue *queue =
      createCompletionQueue(context, attributes->cqe, attributes->cq_context, attributes->channel, attributes->comp_vector);
  return queue == nullptr ? nullptr : queue->extend(attributes->wc_flags);
}

vb_ibv_qp *createPair(vb_ibv_context *, vb_ibv_qp_init_attr_ex *attributes) {
  uint32_t mask = attributes->comp_mask;
  constexpr uint32_t kKnown = VB_IBV_QP_INIT_ATTR_PD | VB_IBV_QP_INIT_ATTR_CREATE_FLAGS | VB_IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  if ((mask & VB_IBV_QP_INIT_ATTR_PD) == 0) return none<vb_ibv_qp>(EINVAL);
  if ((mask & ~kKnown) != 0) return none<vb_ibv_qp>(EOPNOTSUPP);
  if ((mask & VB_IBV_QP_INIT_ATTR_CREATE_FLAGS) != 0 && attributes->create_flags != 0) return none<vb_ibv_qp>(EOPNOTSUPP);
  bool isBuilt = (mask & VB_IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0;
  if (isBuilt && (attributes->send_ops_flags & ~sendOperationsOf(attributes->qp_type)) != 0) return none<vb_ibv_qp>(EOPNOTSUPP);
  vb_ibv_qp_cap cap = attributes->cap;
  // Inline data takes an entry of the list.
  if (isBuilt) cap.max_send_sge = std::max(cap.max_send_sge, 1u);
  QueuePair *pair = createQueuePair(attributes->pd, {attributes->qp_context, attributes->send_cq, attributes->recv_cq, attributes->srq, cap,
                                                     attributes->qp_type, attributes->sq_sig_all});
  if (pair == nullptr) return nullptr;
  attributes->cap = cap;
  if (isBuilt) pair->extend(attributes->send_ops_flags);
  return pair->handle();
}

int queryExtendedDevice(vb_ibv_context *context, const vb_ibv_query_device_ex_input *input, vb_ibv_device_attr_ex *attributes, size_t size) {
  if (size < sizeof attributes->orig_attr || (input != nullptr && input->comp_mask != 0)) return EINVAL;
  vb_ibv_device_attr_ex all = {};
  int error = queryDevice(context, all.orig_attr);
  if (error != 0) return error;
  all.completion_timestamp_mask = UINT64_MAX;
  all.hca_core_clock = kStampClockKilohertz;
  all.device_cap_flags_ex = all.orig_attr.device_cap_flags;
  all.max_dm_size = DeviceMemory::kSize;
  all.phys_port_cnt_ex = all.orig_attr.phys_port_cnt;
  memset(attributes, 0, size);
  memcpy(attributes, &all, std::min(size, sizeof all));
  return 0;
}

int queryValues(vb_ibv_context *, vb_ibv_values_ex *values) {
  uint32_t given = values->comp_mask & VB_IBV_VALUES_MASK_RAW_CLOCK;
  // The count of the clock, as time stamps have it: not seconds and a remainder.
  if (given != 0) values->raw_clock = {0, static_cast<long>(readStampClock())};
  values->comp_mask = given;
  return 0;
}

}  // namespace

void setExtendedOperations(vb_verbs_context &context) {
  context.create_cq_ex = createQueue;
  context.create_qp_ex = createPair;
  context.query_device_ex = queryExtendedDevice;
  context.query_rt_values = queryValues;
  context.alloc_dm = DeviceMemory::allocate;
  context.free_dm = DeviceMemory::release;
  context.reg_dm_mr = DeviceMemory::registerRegion;
}

}  // namespace fabricsim
