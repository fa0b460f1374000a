// libibverbs: attributes of devices and ports, GID and P_Key tables.
#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "export.h"
#include "verbs-query.h"

using namespace fabricsim;

namespace {

bool isEmpty(const RawGid &gid) {
  return std::all_of(gid.begin() + 8, gid.end(), [](uint8_t byte) { return byte == 0; });
}

void fillEntry(vb_ibv_gid_entry &entry, const RawGid &gid, size_t index, uint32_t portNumber) {
  entry = {};
  memcpy(entry.gid.raw, gid.data(), gid.size());
  entry.gid_index = static_cast<uint32_t>(index);
  entry.port_num = portNumber;
  entry.gid_type = VB_IBV_GID_TYPE_IB;
}

}  // namespace

// The exported symbol writes the older, shorter structure; programs that know more come through the context.
FABRICSIM_EXPORT int ibv_query_port(vb_ibv_context *context, uint8_t portNumber, vb_ibv_port_attr *attributes) {
  return queryPort(context, portNumber, attributes, VB_IBV_COMPAT_PORT_ATTR_SIZE);
}

FABRICSIM_EXPORT int ibv_query_device(vb_ibv_context *context, vb_ibv_device_attr *attributes) { return queryDevice(context, *attributes); }

FABRICSIM_EXPORT int ibv_query_gid(vb_ibv_context *context, uint8_t portNumber, int index, vb_ibv_gid *gid) {
  HcaState state;
  const PortState *port = findPort(context, portNumber, state);
  if (port == nullptr) return -1;
  if (index < 0 || static_cast<size_t>(index) >= port->gids.size()) {
    errno = EINVAL;
    return -1;
  }
  memcpy(gid->raw, port->gids[static_cast<size_t>(index)].data(), sizeof gid->raw);
  return 0;
}

// Kind of a GID: InfiniBand's are of one kind only.
FABRICSIM_EXPORT int ibv_query_gid_type(vb_ibv_context *context, uint8_t portNumber, unsigned index, int *type) {
  vb_ibv_gid gid;
  if (ibv_query_gid(context, portNumber, static_cast<int>(index), &gid) != 0) return -1;
  *type = VB_IBV_GID_TYPE_IB;
  return 0;
}

FABRICSIM_EXPORT int _ibv_query_gid_ex(vb_ibv_context *context, uint32_t portNumber, uint32_t index, vb_ibv_gid_entry *entry,
                                       uint32_t flags, size_t entrySize) {
  if (flags != 0 || entrySize < sizeof *entry) return EINVAL;
  HcaState state;
  const PortState *port = findPort(context, portNumber, state);
  if (port == nullptr) return errno;
  if (index >= port->gids.size()) return EINVAL;
  if (isEmpty(port->gids[index])) return ENODATA;
  fillEntry(*entry, port->gids[index], index, portNumber);
  return 0;
}

// All entries in use, of all ports. Their number, or a negative errno value.
FABRICSIM_EXPORT ssize_t _ibv_query_gid_table(vb_ibv_context *context, vb_ibv_gid_entry *entries, size_t maxEntries, uint32_t flags,
                                              size_t entrySize) {
  if (flags != 0 || entrySize < sizeof *entries) return -EINVAL;
  HcaState state;
  if (!readState(context, state)) return -errno;
  size_t count = 0;
  for (const PortState &port : state.ports) {
    for (size_t i = 0; i < port.gids.size(); ++i) {
      if (isEmpty(port.gids[i])) continue;
      if (count == maxEntries) return -EINVAL;
      auto *to = reinterpret_cast<vb_ibv_gid_entry *>(reinterpret_cast<uint8_t *>(entries) + count * entrySize);
      fillEntry(*to, port.gids[i], i, port.number);
      ++count;
    }
  }
  return static_cast<ssize_t>(count);
}

FABRICSIM_EXPORT int ibv_query_pkey(vb_ibv_context *context, uint8_t portNumber, int index, uint16_t *pkey) {
  HcaState state;
  const PortState *port = findPort(context, portNumber, state);
  if (port == nullptr) return -1;
  if (index < 0 || static_cast<size_t>(index) >= port->pkeys.size()) {
    errno = EINVAL;
    return -1;
  }
  *pkey = htons(port->pkeys[static_cast<size_t>(index)]);
  return 0;
}

FABRICSIM_EXPORT int ibv_get_pkey_index(vb_ibv_context *context, uint8_t portNumber, uint16_t pkey) {
  HcaState state;
  const PortState *port = findPort(context, portNumber, state);
  if (port == nullptr) return -1;
  auto found = std::find(port->pkeys.begin(), port->pkeys.end(), ntohs(pkey));
  if (found != port->pkeys.end()) return static_cast<int>(found - port->pkeys.begin());
  errno = ENOENT;
  return -1;
}
