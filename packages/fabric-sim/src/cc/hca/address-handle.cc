#include "hca/address-handle.h"

#include <cstring>

namespace fabricsim {

AddressVector fromAttributes(const vb_ibv_ah_attr &attributes) {
  AddressVector out;
  out.port = attributes.port_num;
  out.dlid = attributes.dlid;
  out.sl = attributes.sl & 0xf;
  out.pathBits = attributes.src_path_bits & 0x7f;
  out.rate = attributes.static_rate;
  out.isGlobal = attributes.is_global != 0;
  if (!out.isGlobal) return out;
  memcpy(out.dgid.data(), attributes.grh.dgid.raw, out.dgid.size());
  out.flowLabel = attributes.grh.flow_label & 0xfffff;
  out.sgidIndex = attributes.grh.sgid_index;
  out.hopLimit = attributes.grh.hop_limit;
  out.trafficClass = attributes.grh.traffic_class;
  return out;
}

GlobalRoute globalRoute(const AddressVector &vector) {
  return {vector.trafficClass, vector.flowLabel, vector.hopLimit, vector.sgidIndex, vector.dgid.data()};
}

vb_ibv_ah_attr toAttributes(const AddressVector &vector) {
  vb_ibv_ah_attr out = {};
  out.port_num = vector.port;
  out.dlid = vector.dlid;
  out.sl = vector.sl;
  out.src_path_bits = vector.pathBits;
  out.static_rate = vector.rate;
  out.is_global = vector.isGlobal ? 1 : 0;
  if (!vector.isGlobal) return out;
  memcpy(out.grh.dgid.raw, vector.dgid.data(), vector.dgid.size());
  out.grh.flow_label = vector.flowLabel;
  out.grh.sgid_index = vector.sgidIndex;
  out.grh.hop_limit = vector.hopLimit;
  out.grh.traffic_class = vector.trafficClass;
  return out;
}

}  // namespace fabricsim
