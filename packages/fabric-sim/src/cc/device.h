// A simulated HCA as this process sees it. Devices are made at attach and live as long as the process.
#pragma once

#include <memory>
#include <string>

#include "state-page.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class Device {
 public:
  // `ordinal`: position among this process' devices, the N of simN.
  Device(unsigned ordinal, uint32_t hcaIndex, std::unique_ptr<StatePage> page);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const char *name() const { return verbs_.name; }
  unsigned ordinal() const { return ordinal_; }
  uint32_t hcaIndex() const { return hcaIndex_; }
  vb_ibv_device *verbs() { return &verbs_; }
  // The device behind a verbs handle; handles are always ours.
  static Device &of(const vb_ibv_device *handle);
  bool read(HcaState &state) const { return page_->read(state); }

 private:
  vb_ibv_device verbs_;  // first member: of() relies on it
  unsigned ordinal_;
  uint32_t hcaIndex_;
  std::unique_ptr<StatePage> page_;
};

constexpr const char *kFirmwareVersion = "1.0.0";
constexpr const char *kBoardId = "VRB0000000001";
constexpr const char *kCaType = "fabricsim";

}  // namespace fabricsim
