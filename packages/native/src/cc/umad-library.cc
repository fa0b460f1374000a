#include "umad-library.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <algorithm>

namespace verbena {
namespace {

// A char array of a C struct, terminated or not.
std::string FixedText(const char* text, size_t size) { return std::string(text, strnlen(text, size)); }

UmadPortDescription Describe(const vb_umad_ca& ca, const vb_umad_port& port) {
  UmadPortDescription out;
  out.device = FixedText(ca.ca_name, sizeof ca.ca_name);
  out.node_guid = be64toh(ca.be_node_guid);
  out.port_count = ca.numports;
  out.port = port.portnum;
  out.port_guid = be64toh(port.be_port_guid);
  out.gid_prefix = be64toh(port.be_gid_prefix);
  out.lid = port.base_lid;
  out.lmc = port.lmc;
  out.sm_lid = port.sm_lid;
  out.sm_sl = port.sm_sl;
  out.state = port.state;
  out.phys_state = port.phys_state;
  out.rate = port.rate;
  out.capability_mask = be32toh(port.be_capmask);
  if (port.pkeys != nullptr) out.pkeys.assign(port.pkeys, port.pkeys + port.pkeys_size);
  out.link_layer = FixedText(port.link_layer, sizeof port.link_layer);
  return out;
}

}  // namespace

bool UmadLibrary::Open(const std::string& path) {
  if (!library_.Open(path)) {
    error_ = library_.error();
    return false;
  }
#define VERBENA_RESOLVE(name, version, result, arguments) \
  functions_.name = reinterpret_cast<vb_##name##_fn>(library_.Resolve(#name, version));
  VB_IBUMAD_FUNCTIONS(VERBENA_RESOLVE)
#undef VERBENA_RESOLVE
  const struct {
    const char* name;
    bool is_missing;
  } required[] = {
#define VERBENA_REQUIRE(name) {#name, functions_.name == nullptr}
      VERBENA_REQUIRE(umad_init),       VERBENA_REQUIRE(umad_get_cas_names), VERBENA_REQUIRE(umad_get_ca),
      VERBENA_REQUIRE(umad_release_ca), VERBENA_REQUIRE(umad_open_port),     VERBENA_REQUIRE(umad_close_port),
      VERBENA_REQUIRE(umad_send),       VERBENA_REQUIRE(umad_recv),          VERBENA_REQUIRE(umad_poll),
      VERBENA_REQUIRE(umad_get_fd),     VERBENA_REQUIRE(umad_register),      VERBENA_REQUIRE(umad_unregister),
#undef VERBENA_REQUIRE
  };
  for (const auto& entry : required) {
    if (!entry.is_missing) continue;
    error_ = path + ": no function " + entry.name + " of version IBUMAD_1.0";
    return false;
  }
  errno = 0;
  const int result = functions_.umad_init();
  if (result < 0) {
    error_ = path + ": umad_init: " + strerror(UmadErrno(result, errno));
    return false;
  }
  return true;
}

std::vector<UmadPortDescription> UmadLibrary::ListPorts() const {
  char names[VB_UMAD_MAX_DEVICES][VB_UMAD_CA_NAME_LEN] = {};
  const int count = std::clamp(functions_.umad_get_cas_names(names, VB_UMAD_MAX_DEVICES), 0, int{VB_UMAD_MAX_DEVICES});
  std::vector<UmadPortDescription> ports;
  for (int i = 0; i < count; i++) {
    vb_umad_ca ca = {};
    // A device that has gone since it was named is left out.
    if (functions_.umad_get_ca(names[i], &ca) < 0) continue;
    for (const vb_umad_port* port : ca.ports) {
      if (port != nullptr) ports.push_back(Describe(ca, *port));
    }
    functions_.umad_release_ca(&ca);
  }
  return ports;
}

bool UmadLibrary::QueryPort(const std::string& device, int port, UmadPortDescription* out) const {
  if (port < 0 || port >= VB_UMAD_CA_MAX_PORTS || device.size() >= VB_UMAD_CA_NAME_LEN) return false;
  vb_umad_ca ca = {};
  // By way of the adapter: a port's own description lacks the node GUID and the number of ports.
  if (functions_.umad_get_ca(device.c_str(), &ca) < 0) return false;
  const bool is_there = ca.ports[port] != nullptr;
  if (is_there) *out = Describe(ca, *ca.ports[port]);
  functions_.umad_release_ca(&ca);
  return is_there;
}

int UmadErrno(int result, int saved_errno) {
  const bool is_generic = result == -EIO || result == -1;  // -1 is -EPERM as well
  if (is_generic && saved_errno != 0) return saved_errno;
  return result < 0 ? -result : EIO;
}

}  // namespace verbena
