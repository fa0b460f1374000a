#include "verbs-query.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process.h"

namespace fabricsim {

namespace {
constexpr uint8_t kMaxVls = 4;       // code of PortInfo:VLCap: VL0…VL7
constexpr uint32_t kMaxMessage = 1u << 30;
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
