// Where a message goes: the address vector of an address handle or of a connected queue pair (IBA 11.2.2).
#pragma once

#include <cstdint>

#include "hca/protection.h"
#include "packet-headers.h"
#include "state-page.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

struct AddressVector {
  uint8_t port = 1;
  uint16_t dlid = 0;
  uint8_t sl = 0;
  uint8_t pathBits = 0;
  uint8_t rate = 0;
  bool isGlobal = false;
  RawGid dgid = {};
  uint32_t flowLabel = 0;
  uint8_t sgidIndex = 0;
  uint8_t hopLimit = 0;
  uint8_t trafficClass = 0;

  bool isMulticast() const { return dlid >= 0xc000 && dlid != 0xffff; }
};

AddressVector fromAttributes(const vb_ibv_ah_attr &attributes);
// Its part for a GRH; the view ends with `vector`.
GlobalRoute globalRoute(const AddressVector &vector);
vb_ibv_ah_attr toAttributes(const AddressVector &vector);

struct AddressHandle {
  vb_ibv_ah handle;  // first member: of() relies on it
  AddressVector vector;

  static AddressHandle &of(vb_ibv_ah *ah) { return *reinterpret_cast<AddressHandle *>(ah); }
};

}  // namespace fabricsim
