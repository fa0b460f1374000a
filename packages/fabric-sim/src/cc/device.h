// A simulated HCA as this process sees it. Devices are made at attach and live as long as the process, also when their fabric has ended:
// handles to them may be around. A fabric that is attached to later has devices of its own, under the same names.
#pragma once

#include <memory>
#include <string>

#include "attach-client.h"
#include "state-page.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class Hca;

class Device {
 public:
  // `ordinal`: position among this process' devices, the N of simN.
  Device(unsigned ordinal, uint32_t hcaIndex, std::unique_ptr<StatePage> page, std::shared_ptr<AttachClient> client);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const char *name() const { return verbs_.name; }
  unsigned ordinal() const { return ordinal_; }
  uint32_t hcaIndex() const { return hcaIndex_; }
  vb_ibv_device *verbs() { return &verbs_; }
  // The device behind a verbs handle; handles are always ours.
  static Device &of(const vb_ibv_device *handle);
  // The connection it came by; whatever belongs to this device is said there.
  AttachClient &client() const { return *client_; }
  // False if its fabric has gone.
  bool read(HcaState &state) const { return !client_->isLost() && page_->read(state); }
  // Moves with every change of that state.
  uint32_t stateSequence() const { return page_->sequence(); }
  // Its data path, made when it is opened for the first time.
  Hca &hca();
  bool hasHca() const { return hca_ != nullptr; }
  // Its fabric has gone: everything in flight on it fails.
  void onLost();

 private:
  vb_ibv_device verbs_;  // first member: of() relies on it
  unsigned ordinal_;
  uint32_t hcaIndex_;
  std::unique_ptr<StatePage> page_;
  std::shared_ptr<AttachClient> client_;
  std::shared_ptr<Hca> hca_;
};

constexpr const char *kFirmwareVersion = "1.0.0";
constexpr const char *kBoardId = "VRB0000000001";
constexpr const char *kCaType = "fabricsim";

}  // namespace fabricsim
