#include "umad-select.h"

namespace fabricsim {

namespace {
constexpr uint8_t kActive = 4;
constexpr uint8_t kLinkUp = 5;
constexpr uint8_t kDisabled = 3;

enum Fitness { kNone, kUsable, kUp, kReady };

Fitness fitness(const PortState &port) {
  if (port.state == kActive) return kReady;
  if (port.physState == kLinkUp) return kUp;
  return port.physState == kDisabled ? kNone : kUsable;
}

// The best port of a device, or how good the asked one is.
Fitness bestPort(const Device &device, int asked, int &chosen) {
  HcaState state;
  Fitness best = kNone;
  if (!device.read(state)) return best;
  for (const PortState &port : state.ports) {
    if (asked > 0 && port.number != asked) continue;
    Fitness current = fitness(port);
    if (current > best) {
      best = current;
      chosen = port.number;
    }
  }
  return best;
}
}  // namespace

Device *selectUmadPort(Process &process, const char *caName, int *portNumber) {
  int asked = portNumber == nullptr ? 0 : *portNumber;
  if (caName != nullptr) {
    Device *device = process.device(caName);
    if (device == nullptr || portNumber == nullptr || asked != 0) return device;
    return bestPort(*device, 0, *portNumber) == kNone ? nullptr : device;
  }
  Device *best = nullptr;
  Fitness bestFitness = kNone;
  int bestNumber = asked;
  for (Device &device : process.devices()) {
    int number = asked;
    Fitness current = bestPort(device, asked, number);
    if (current > bestFitness) {
      best = &device;
      bestFitness = current;
      bestNumber = number;
    }
  }
  if (best != nullptr && portNumber != nullptr) *portNumber = bestNumber;
  return best;
}

}  // namespace fabricsim
