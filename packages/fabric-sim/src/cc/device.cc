#include "device.h"

#include <cstdio>
#include <type_traits>

#include "hca/hca.h"
#include "wire/fabric-wire.h"

namespace fabricsim {

Device::Device(unsigned ordinal, uint32_t hcaIndex, std::unique_ptr<StatePage> page, std::shared_ptr<AttachClient> client)
    : verbs_{}, ordinal_(ordinal), hcaIndex_(hcaIndex), page_(std::move(page)), client_(std::move(client)) {
  verbs_.node_type = VB_IBV_NODE_CA;
  verbs_.transport_type = VB_IBV_TRANSPORT_IB;
  snprintf(verbs_.name, sizeof verbs_.name, "sim%u", ordinal);
  snprintf(verbs_.dev_name, sizeof verbs_.dev_name, "uverbs%u", ordinal);
  snprintf(verbs_.dev_path, sizeof verbs_.dev_path, "/sys/class/infiniband_verbs/uverbs%u", ordinal);
  snprintf(verbs_.ibdev_path, sizeof verbs_.ibdev_path, "/sys/class/infiniband/sim%u", ordinal);
}

Hca &Device::hca() {
  if (hca_ == nullptr) {
    hca_ = std::make_shared<Hca>(*this);
    hca_->setWire(std::make_unique<FabricWire>(*hca_));
  }
  return *hca_;
}

void Device::onLost() {
  if (hca_ != nullptr && client_->isLost()) hca_->onLost();
}

Device &Device::of(const vb_ibv_device *handle) {
  static_assert(std::is_standard_layout_v<Device>, "the handle is the first member");
  return *reinterpret_cast<Device *>(const_cast<vb_ibv_device *>(handle));
}

}  // namespace fabricsim
