#include "verbs-query.h"

#include <endian.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hca/hca.h"
#include "process.h"

namespace fabricsim {

namespace {
constexpr uint8_t kMaxVls = 4;       // code of PortInfo:VLCap: VL0…VL7
constexpr uint32_t kMaxMessage = 1u << 30;
constexpr unsigned kCapabilities = VB_IBV_DEVICE_CURR_QP_STATE_MOD | VB_IBV_DEVICE_PORT_ACTIVE_EVENT | VB_IBV_DEVICE_SYS_IMAGE_GUID |
                                   VB_IBV_DEVICE_RC_RNR_NAK_GEN | VB_IBV_DEVICE_SRQ_RESIZE;
}  // namespace

bool readState(vb_ibv_context *context, HcaState &state) {
  Process &process = Process::get();
  Lock lock = process.lock();
  if (!process.isOrphan() && VerbsContext::of(context).device().read(state)) return true;
  errno = process.isOrphan() ? ENODEV : EIO;
  return false;
}

const PortState *findPort(vb_ibv_context *context, uint32_t number, HcaState &state) {
  if (!readState(context, state)) return nullptr;
  const PortState *port = state.port(number);
  if (port == nullptr) errno = EINVAL;
  return port;
}

int queryDevice(vb_ibv_context *context, vb_ibv_device_attr &attributes) {
  HcaState state;
  if (!readState(context, state)) return errno;
  attributes = {};
  snprintf(attributes.fw_ver, sizeof attributes.fw_ver, "%s", kFirmwareVersion);
  attributes.be_node_guid = htobe64(state.nodeGuid);
  attributes.be_sys_image_guid = htobe64(state.sysImageGuid);
  attributes.max_mr_size = UINT64_MAX;
  attributes.page_size_cap = 0xfffff000;
  attributes.vendor_id = state.vendorId;
  attributes.vendor_part_id = state.deviceId;
  attributes.device_cap_flags = kCapabilities;
  attributes.max_qp = HcaLimits::kQueuePairs;
  attributes.max_qp_wr = HcaLimits::kWorkRequests;
  attributes.max_sge = HcaLimits::kSges;
  attributes.max_sge_rd = HcaLimits::kSges;
  attributes.max_cq = 65536;
  attributes.max_cqe = HcaLimits::kCompletions;
  attributes.max_mr = HcaLimits::kRegions;
  attributes.max_srq = 65536;
  attributes.max_srq_wr = HcaLimits::kWorkRequests;
  attributes.max_srq_sge = HcaLimits::kSges;
  attributes.atomic_cap = VB_IBV_ATOMIC_HCA;
  attributes.max_pd = 65536;
  attributes.max_qp_rd_atom = HcaLimits::kReadsInFlight;
  attributes.max_res_rd_atom = 1 << 20;
  attributes.max_qp_init_rd_atom = HcaLimits::kReadsInFlight;
  attributes.max_mcast_grp = HcaLimits::kMulticastGroups;
  attributes.max_mcast_qp_attach = HcaLimits::kMulticastMembers;
  attributes.max_total_mcast_qp_attach = HcaLimits::kMulticastGroups * HcaLimits::kMulticastMembers;
  attributes.max_ah = 1 << 20;
  attributes.local_ca_ack_delay = 16;
  size_t pkeys = state.ports.empty() ? 0 : state.ports.front().pkeys.size();
  attributes.max_pkeys = static_cast<uint16_t>(pkeys);
  attributes.phys_port_cnt = static_cast<uint8_t>(state.ports.size());
  return 0;
}

int queryPort(vb_ibv_context *context, uint8_t portNumber, vb_ibv_port_attr *attributes, size_t length) {
  HcaState state;
  const PortState *port = findPort(context, portNumber, state);
  if (port == nullptr) return errno;
  vb_ibv_port_attr all = {};
  all.state = port->state;
  all.max_mtu = port->mtuCap;
  all.active_mtu = port->activeMtu;
  all.gid_tbl_len = static_cast<int>(port->gids.size());
  all.port_cap_flags = port->capabilityMask;
  all.max_msg_sz = kMaxMessage;
  all.pkey_tbl_len = static_cast<uint16_t>(port->pkeys.size());
  all.bad_pkey_cntr = port->pkeyViolations;
  all.qkey_viol_cntr = port->qkeyViolations;
  all.lid = port->lid;
  all.sm_lid = port->smLid;
  all.lmc = port->lmc;
  all.max_vl_num = kMaxVls;
  all.sm_sl = port->smSl;
  all.subnet_timeout = port->subnetTimeout;
  all.active_width = port->width;
  // The old field has a byte; a speed beyond it (XDR, 256) reads as what was the fastest before.
  all.active_speed = static_cast<uint8_t>(std::min<uint16_t>(port->speed, 128));
  all.active_speed_ex = port->speed;
  all.phys_state = port->physState;
  all.link_layer = VB_IBV_LINK_LAYER_INFINIBAND;
  memcpy(attributes, &all, std::min(length, sizeof all));
  return 0;
}

}  // namespace fabricsim
