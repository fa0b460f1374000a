// A libibumad for tests of the addon: two devices that answer their own requests. `stub0` has real descriptors, the ports of
// `pretend0` only pretend ones, as ibsim's preload library makes them. What a MAD asks for is in its method (byte 1):
//   0x7f  no answer: the header comes back with ETIMEDOUT      0x7e  the device goes away (reads fail with ENODEV)
//   0x7d  a verbs event: attribute (16..17) = kind, modifier (20..23) = port
//   else  an answer: method with bit 7, agent id in the high half of the TID, as many bytes as the modifier says (256 for 0)
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "stub-rdma.h"
#include "verbena/ibumad-abi.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kPretendBase = 100000;

struct Port {
  int ready = -1;  // eventfd, readable while messages wait
  bool is_gone = false;
  uint32_t agents = 0;
  std::deque<std::vector<uint8_t>> messages;  // header and MAD
};

std::mutex mutex;
// Never destroyed: a thread may be in umad_poll while the process exits.
std::map<int, Port>& ports = *new std::map<int, Port>;

vb_umad_port Describe(const char* device) {
  vb_umad_port port = {};
  strcpy(port.ca_name, device);
  port.portnum = 1;
  port.base_lid = 9;
  port.sm_lid = 1;
  port.state = 4;
  port.phys_state = 5;
  port.rate = 100;
  port.be_capmask = htobe32(0x02514868);
  port.be_gid_prefix = htobe64(0xfe80000000000000);
  port.be_port_guid = htobe64(0x0002c90300000002);
  port.pkeys_size = 2;
  port.pkeys = new uint16_t[2]{0xffff, 0x8001};
  strcpy(port.link_layer, "InfiniBand");
  return port;
}

bool IsKnown(const char* device) { return strcmp(device, "stub0") == 0 || strcmp(device, "pretend0") == 0; }

void Push(Port& port, std::vector<uint8_t> message) {
  port.messages.push_back(std::move(message));
  const uint64_t one = 1;
  if (write(port.ready, &one, sizeof one) != sizeof one) abort();
}

}  // namespace

EXPORT int umad_init(void) { return 0; }

EXPORT int umad_get_cas_names(char (*names)[VB_UMAD_CA_NAME_LEN], int max) {
  if (max < 2) return 0;
  strcpy(names[0], "stub0");
  strcpy(names[1], "pretend0");
  return 2;
}

EXPORT int umad_get_ca(const char* name, vb_umad_ca* ca) {
  if (!IsKnown(name)) return -ENODEV;
  memset(ca, 0, sizeof *ca);
  strcpy(ca->ca_name, name);
  ca->node_type = 1;
  ca->numports = 1;
  ca->be_node_guid = htobe64(0x0002c90300000001);
  ca->ports[1] = new vb_umad_port(Describe(name));
  return 0;
}

EXPORT int umad_release_ca(vb_umad_ca* ca) {
  delete[] ca->ports[1]->pkeys;
  delete ca->ports[1];
  return 0;
}

EXPORT int umad_open_port(const char* name, int number) {
  if (!IsKnown(name)) return -ENODEV;
  if (number == 2) {  // as when the device file may not be opened
    errno = EACCES;
    return -EIO;
  }
  if (number != 1) return -EINVAL;
  const std::lock_guard lock(mutex);
  const int ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int id = strcmp(name, "stub0") == 0 ? ready : kPretendBase + ready;
  ports[id].ready = ready;
  return id;
}

EXPORT int umad_get_fd(int id) { return id; }

EXPORT int umad_close_port(int id) {
  const std::lock_guard lock(mutex);
  const auto found = ports.find(id);
  if (found == ports.end()) return -EINVAL;
  close(found->second.ready);
  ports.erase(found);
  return 0;
}

EXPORT int umad_register(int id, int mgmt_class, int, uint8_t, long*) {
  const std::lock_guard lock(mutex);
  Port& port = ports.at(id);
  if (mgmt_class == 0x81) {
    errno = EPERM;
    return -EPERM;
  }
  for (int agent = 0; agent < 32; agent++) {
    if ((port.agents & (1u << agent)) != 0) continue;
    port.agents |= 1u << agent;
    return agent;
  }
  errno = ENOMEM;
  return -EPERM;
}

EXPORT int umad_unregister(int id, int agent) {
  const std::lock_guard lock(mutex);
  ports.at(id).agents &= ~(1u << agent);
  return 0;
}

EXPORT int umad_send(int id, int agent, void* umad, int length, int, int) {
  const std::lock_guard lock(mutex);
  Port& port = ports.at(id);
  if ((port.agents & (1u << agent)) == 0) {
    errno = EINVAL;
    return -EIO;
  }
  std::vector<uint8_t> message(static_cast<uint8_t*>(umad), static_cast<uint8_t*>(umad) + 64 + length);
  uint8_t* mad = message.data() + 64;
  uint16_t attribute;
  uint32_t modifier;
  memcpy(&attribute, mad + 16, 2);
  memcpy(&modifier, mad + 20, 4);
  modifier = be32toh(modifier);
  switch (mad[1]) {
    case 0x7f:
      message.resize(64 + 24);
      reinterpret_cast<vb_ib_user_mad*>(message.data())->status = ETIMEDOUT;
      break;
    case 0x7e: {
      port.is_gone = true;
      const uint64_t one = 1;
      return write(port.ready, &one, sizeof one) == sizeof one ? 0 : -EIO;
    }
    case 0x7d:
      StubRaiseEvent(be16toh(attribute), static_cast<int>(modifier));
      return 0;
    default: {
      mad[1] |= 0x80;
      const uint32_t high = htobe32(static_cast<uint32_t>(agent));
      memcpy(mad + 8, &high, 4);
      if (modifier != 0) message.resize(64 + modifier, 0x5a);
    }
  }
  reinterpret_cast<vb_ib_user_mad*>(message.data())->agent_id = static_cast<uint32_t>(agent);
  Push(port, std::move(message));
  return 0;
}

EXPORT int umad_poll(int id, int timeout_ms) {
  int ready;
  {
    const std::lock_guard lock(mutex);
    ready = ports.at(id).ready;
  }
  pollfd entry = {ready, POLLIN, 0};
  const int count = poll(&entry, 1, timeout_ms);
  if (count == 1) return 0;
  return count == 0 ? -ETIMEDOUT : -EIO;
}

EXPORT int umad_recv(int id, void* umad, int* length, int) {
  const std::lock_guard lock(mutex);
  Port& port = ports.at(id);
  if (port.is_gone) {
    errno = ENODEV;
    return -EIO;
  }
  if (port.messages.empty()) {
    errno = EAGAIN;
    return -EAGAIN;
  }
  const std::vector<uint8_t>& message = port.messages.front();
  const int size = static_cast<int>(message.size()) - 64;
  if (size > *length) {
    *length = size;
    errno = ENOSPC;
    return -ENOSPC;
  }
  memcpy(umad, message.data(), message.size());
  *length = size;
  port.messages.pop_front();
  uint64_t count;
  if (port.messages.empty() && read(port.ready, &count, sizeof count) < 0) abort();
  return static_cast<int>(static_cast<vb_ib_user_mad*>(umad)->agent_id);
}

// The node `nowhere` cannot be found; every other one can.
EXPORT int fabricsim_attach(const char*, const char* nodes) { return strcmp(nodes, "nowhere") == 0 ? -ENOENT : 0; }
