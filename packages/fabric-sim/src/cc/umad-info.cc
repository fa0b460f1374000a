// libibumad: what there is. Device names, attributes of HCAs and ports, paths.
#include <arpa/inet.h>
#include <endian.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "export.h"
#include "issm-file.h"
#include "process.h"
#include "umad-select.h"
#include "verbena/ibumad-abi.h"

using namespace fabricsim;

namespace {

// Device names and the like are shorter than the fields of umad's structures.
template <size_t N>
void copyText(char (&to)[N], const char *from) {
  size_t length = std::min(strlen(from), N - 1);
  memcpy(to, from, length);
  to[length] = '\0';
}

bool fillPort(const Device &device, const PortState &from, vb_umad_port *port) {
  memset(port, 0, sizeof *port);
  copyText(port->ca_name, device.name());
  port->portnum = from.number;
  port->base_lid = from.lid;
  port->lmc = from.lmc;
  port->sm_lid = from.smLid;
  port->sm_sl = from.smSl;
  port->state = from.state;
  port->phys_state = from.physState;
  port->rate = from.rateTenths / 10;
  port->be_capmask = htonl(from.capabilityMask);
  if (!from.gids.empty()) memcpy(&port->be_gid_prefix, from.gids[0].data(), 8);
  port->be_port_guid = htobe64(from.guid);
  copyText(port->link_layer, "InfiniBand");
  port->pkeys = static_cast<uint16_t *>(calloc(from.pkeys.size() + 1, sizeof *port->pkeys));
  if (port->pkeys == nullptr) return false;
  port->pkeys_size = static_cast<unsigned>(from.pkeys.size());
  memcpy(port->pkeys, from.pkeys.data(), from.pkeys.size() * sizeof *port->pkeys);
  return true;
}

void releasePorts(vb_umad_ca *ca) {
  for (vb_umad_port *&port : ca->ports) {
    if (port != nullptr) free(port->pkeys);
    free(port);
    port = nullptr;
  }
}

int fillCa(const Device &device, vb_umad_ca *ca) {
  HcaState state;
  if (!device.read(state)) return -EIO;
  memset(ca, 0, sizeof *ca);
  copyText(ca->ca_name, device.name());
  ca->node_type = VB_IBV_NODE_CA;
  copyText(ca->fw_ver, kFirmwareVersion);
  copyText(ca->ca_type, kCaType);
  copyText(ca->hw_ver, "0");
  ca->be_node_guid = htobe64(state.nodeGuid);
  ca->be_system_guid = htobe64(state.sysImageGuid);
  for (const PortState &from : state.ports) {
    if (from.number >= VB_UMAD_CA_MAX_PORTS) {
      releasePorts(ca);
      return -EIO;
    }
    auto *port = static_cast<vb_umad_port *>(calloc(1, sizeof(vb_umad_port)));
    ca->ports[from.number] = port;
    if (port == nullptr || !fillPort(device, from, port)) {
      releasePorts(ca);
      return -ENOMEM;
    }
    if (ca->numports < from.number) ca->numports = from.number;
  }
  return 0;
}

}  // namespace

FABRICSIM_EXPORT int umad_init(void) {
  Process &process = Process::get();
  Lock lock = process.lock();
  int error = process.attach();
  if (error == 0) return 0;
  errno = error;
  return -1;
}

FABRICSIM_EXPORT int umad_done(void) { return 0; }

FABRICSIM_EXPORT int umad_get_cas_names(char cas[][VB_UMAD_CA_NAME_LEN], int max) {
  Process &process = Process::get();
  Lock lock = process.lock();
  if (process.attach() != 0) return 0;
  int count = 0;
  for (Device &device : process.devices()) {
    if (count < max) copyText(cas[count++], device.name());
  }
  return count;
}

FABRICSIM_EXPORT int umad_get_ca(const char *caName, vb_umad_ca *ca) {
  Process &process = Process::get();
  Lock lock = process.lock();
  Device *device = process.attach() == 0 ? selectUmadPort(process, caName, nullptr) : nullptr;
  return device == nullptr ? -ENODEV : fillCa(*device, ca);
}

FABRICSIM_EXPORT int umad_release_ca(vb_umad_ca *ca) {
  if (ca == nullptr) return -ENODEV;
  releasePorts(ca);
  return 0;
}

FABRICSIM_EXPORT int umad_get_port(const char *caName, int portNumber, vb_umad_port *port) {
  Process &process = Process::get();
  Lock lock = process.lock();
  Device *device = process.attach() == 0 ? selectUmadPort(process, caName, &portNumber) : nullptr;
  if (device == nullptr) return -ENODEV;
  HcaState state;
  const PortState *from = device->read(state) && portNumber > 0 ? state.port(static_cast<unsigned>(portNumber)) : nullptr;
  return from != nullptr && fillPort(*device, *from, port) ? 0 : -EIO;
}

FABRICSIM_EXPORT int umad_release_port(vb_umad_port *port) {
  if (port == nullptr) return -ENODEV;
  free(port->pkeys);
  port->pkeys = nullptr;
  port->pkeys_size = 0;
  return 0;
}

// Port GUIDs by port number: entry 0 stands for a switch's port 0, so an HCA leaves it 0.
FABRICSIM_EXPORT int umad_get_ca_portguids(const char *caName, uint64_t *guids, int max) {
  Process &process = Process::get();
  Lock lock = process.lock();
  Device *device = process.attach() == 0 ? selectUmadPort(process, caName, nullptr) : nullptr;
  if (device == nullptr) return -ENODEV;
  HcaState state;
  if (!device->read(state)) return -1;
  if (guids == nullptr) return 0;
  int count = 1;
  for (const PortState &port : state.ports) count = port.number + 1 > count ? port.number + 1 : count;
  if (count > max) return -ENOMEM;
  memset(guids, 0, static_cast<size_t>(count) * sizeof *guids);
  for (const PortState &port : state.ports) guids[port.number] = htobe64(port.guid);
  return count;
}

FABRICSIM_EXPORT int umad_get_issm_path(const char *caName, int portNumber, char *path, int max) {
  Process &process = Process::get();
  Lock lock = process.lock();
  Device *device = process.attach() == 0 ? selectUmadPort(process, caName, &portNumber) : nullptr;
  if (device == nullptr) return -ENODEV;
  HcaState state;
  if (!device->read(state) || portNumber <= 0 || state.port(static_cast<unsigned>(portNumber)) == nullptr) return -EINVAL;
  std::string text = IssmFile::path(process.directory(), device->ordinal(), static_cast<unsigned>(portNumber));
  if (max <= 0 || text.size() >= static_cast<size_t>(max)) return -EINVAL;
  memcpy(path, text.c_str(), text.size() + 1);
  return 0;
}
