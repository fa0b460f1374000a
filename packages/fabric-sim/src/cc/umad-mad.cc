// libibumad: the header in front of a MAD, and printing it.
#include <arpa/inet.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "export.h"
#include "verbena/ibumad-abi.h"

namespace {

std::atomic<int> debugLevel{0};

vb_ib_user_mad *headOf(void *umad) { return static_cast<vb_ib_user_mad *>(umad); }

}  // namespace

FABRICSIM_EXPORT void *umad_get_mad(void *umad) { return static_cast<uint8_t *>(umad) + sizeof(vb_ib_user_mad); }
FABRICSIM_EXPORT vb_ib_mad_addr *umad_get_mad_addr(void *umad) { return &headOf(umad)->addr; }
FABRICSIM_EXPORT size_t umad_size(void) { return sizeof(vb_ib_user_mad); }
FABRICSIM_EXPORT int umad_status(void *umad) { return static_cast<int>(headOf(umad)->status); }

FABRICSIM_EXPORT int umad_set_grh_net(void *umad, void *address) {
  vb_ib_mad_addr &to = headOf(umad)->addr;
  auto *from = static_cast<const vb_ib_mad_addr *>(address);
  to.grh_present = from != nullptr ? 1 : 0;
  if (from == nullptr) return 0;
  memcpy(to.gid, from->gid, sizeof to.gid);
  to.be_flow_label = from->be_flow_label;
  to.hop_limit = from->hop_limit;
  to.traffic_class = from->traffic_class;
  return 0;
}

// Takes the flow label in host order, unlike umad_set_grh_net.
FABRICSIM_EXPORT int umad_set_grh(void *umad, void *address) {
  umad_set_grh_net(umad, address);
  if (address != nullptr) headOf(umad)->addr.be_flow_label = htonl(static_cast<const vb_ib_mad_addr *>(address)->be_flow_label);
  return 0;
}

FABRICSIM_EXPORT int umad_set_addr_net(void *umad, uint16_t lid, uint32_t qpn, int sl, uint32_t qkey) {
  vb_ib_mad_addr &to = headOf(umad)->addr;
  to.be_lid = lid;
  to.be_qpn = qpn;
  to.sl = static_cast<uint8_t>(sl);
  to.be_qkey = qkey;
  return 0;
}

FABRICSIM_EXPORT int umad_set_addr(void *umad, int lid, int qpn, int sl, int qkey) {
  return umad_set_addr_net(umad, htons(static_cast<uint16_t>(lid)), htonl(static_cast<uint32_t>(qpn)), sl,
                           htonl(static_cast<uint32_t>(qkey)));
}

FABRICSIM_EXPORT int umad_set_pkey(void *umad, int pkeyIndex) {
  headOf(umad)->addr.pkey_index = static_cast<uint16_t>(pkeyIndex);
  return 0;
}

FABRICSIM_EXPORT int umad_get_pkey(void *umad) { return headOf(umad)->addr.pkey_index; }

FABRICSIM_EXPORT int umad_debug(int level) {
  if (level >= 0) debugLevel.store(level);
  return debugLevel.load();
}

FABRICSIM_EXPORT void umad_addr_dump(vb_ib_mad_addr *address) {
  char gid[2 * sizeof address->gid + 1];
  for (size_t i = 0; i < sizeof address->gid; ++i) snprintf(gid + 2 * i, 3, "%02x", address->gid[i]);
  fprintf(stderr, "fabricsim: [%d] qpn %u qkey 0x%x lid %u sl %u\n", getpid(), ntohl(address->be_qpn), ntohl(address->be_qkey),
          ntohs(address->be_lid), address->sl);
  fprintf(stderr, "fabricsim: grh_present %u gid_index %u hop_limit %u traffic_class %u flow_label 0x%x pkey_index 0x%x gid 0x%s\n",
          address->grh_present, address->gid_index, address->hop_limit, address->traffic_class, ntohl(address->be_flow_label),
          address->pkey_index, gid);
}

FABRICSIM_EXPORT void umad_dump(void *umad) {
  const vb_ib_user_mad *head = headOf(umad);
  fprintf(stderr, "fabricsim: [%d] agent %u status %u timeout %u ms\n", getpid(), head->agent_id, head->status, head->timeout_ms);
  umad_addr_dump(&headOf(umad)->addr);
}
