// libibverbs: address handles and multicast groups.
#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "export.h"
#include "hca/address-handle.h"
#include "hca/hca.h"
#include "hca/multicast-groups.h"
#include "hca/queue-pair.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

namespace {

constexpr uint8_t kMulticastPrefix = 0xff;

RawGid toRaw(const vb_ibv_gid &gid) {
  RawGid raw;
  memcpy(raw.data(), gid.raw, raw.size());
  return raw;
}

bool isPossible(Hca &hca, const vb_ibv_ah_attr &attributes) {
  const PortState *port = hca.port(attributes.port_num);
  if (port == nullptr || (attributes.dlid == 0 && attributes.is_global == 0)) return false;
  return attributes.is_global == 0 || attributes.grh.sgid_index < port->gids.size();
}

}  // namespace

FABRICSIM_EXPORT vb_ibv_ah *ibv_create_ah(vb_ibv_pd *pd, vb_ibv_ah_attr *attributes) {
  Lock lock = Process::get().lock();
  if (!isPossible(VerbsContext::of(pd->context).device().hca(), *attributes)) {
    errno = EINVAL;
    return nullptr;
  }
  ++ProtectionDomain::of(pd).users;
  return &(new AddressHandle{{pd->context, pd, 0}, fromAttributes(*attributes)})->handle;
}

FABRICSIM_EXPORT int ibv_destroy_ah(vb_ibv_ah *ah) {
  Lock lock = Process::get().lock();
  --ProtectionDomain::of(ah->pd).users;
  delete &AddressHandle::of(ah);
  return 0;
}

// The way back to whoever sent what `completion` reports.
FABRICSIM_EXPORT int ibv_init_ah_from_wc(vb_ibv_context *context, uint8_t portNumber, vb_ibv_wc *completion, vb_ibv_grh *grh,
                                         vb_ibv_ah_attr *attributes) {
  memset(attributes, 0, sizeof *attributes);
  attributes->dlid = completion->slid;
  attributes->sl = completion->sl;
  attributes->src_path_bits = completion->dlid_path_bits;
  attributes->port_num = portNumber;
  if ((completion->wc_flags & VB_IBV_WC_GRH) == 0) return 0;
  Lock lock = Process::get().lock();
  const PortState *port = VerbsContext::of(context).device().hca().port(portNumber);
  if (port == nullptr) return EINVAL;
  attributes->is_global = 1;
  attributes->grh.dgid = grh->sgid;
  auto own = std::find_if(port->gids.begin(), port->gids.end(),
                          [grh](const RawGid &gid) { return memcmp(gid.data(), grh->dgid.raw, gid.size()) == 0; });
  // A message to a group is answered from the port's first GID.
  bool isGroup = grh->dgid.raw[0] == kMulticastPrefix;
  if (own == port->gids.end() && !isGroup) return EINVAL;
  attributes->grh.sgid_index = own == port->gids.end() ? 0 : static_cast<uint8_t>(own - port->gids.begin());
  uint32_t word = ntohl(grh->be_version_tclass_flow);
  attributes->grh.flow_label = word & 0xfffff;
  attributes->grh.traffic_class = static_cast<uint8_t>(word >> 20);
  attributes->grh.hop_limit = 0xff;
  return 0;
}

FABRICSIM_EXPORT vb_ibv_ah *ibv_create_ah_from_wc(vb_ibv_pd *pd, vb_ibv_wc *completion, vb_ibv_grh *grh, uint8_t portNumber) {
  vb_ibv_ah_attr attributes;
  int error = ibv_init_ah_from_wc(pd->context, portNumber, completion, grh, &attributes);
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  return ibv_create_ah(pd, &attributes);
}

FABRICSIM_EXPORT int ibv_attach_mcast(vb_ibv_qp *qp, const vb_ibv_gid *gid, uint16_t) {
  Lock lock = Process::get().lock();
  QueuePair &pair = QueuePair::of(qp);
  if (pair.type() != VB_IBV_QPT_UD || gid->raw[0] != kMulticastPrefix) return EINVAL;
  return joinGroup(lock, pair, toRaw(*gid));
}

FABRICSIM_EXPORT int ibv_detach_mcast(vb_ibv_qp *qp, const vb_ibv_gid *gid, uint16_t) {
  Lock lock = Process::get().lock();
  return leaveGroup(lock, QueuePair::of(qp), toRaw(*gid)) ? 0 : EINVAL;
}
