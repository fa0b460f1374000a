// Reading the page through which the fabric shows the state of an HCA. Layout: docs/attach-protocol.md, src/attach/state-page.ts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricsim {

using RawGid = std::array<uint8_t, 16>;

// All in host form but GIDs, which are in wire order.
struct PortState {
  uint8_t number = 0;
  uint8_t state = 0;
  uint8_t physState = 0;
  uint8_t lmc = 0;
  uint8_t smSl = 0;
  uint8_t mtuCap = 0;
  uint8_t activeMtu = 0;
  uint8_t width = 0;
  uint8_t subnetTimeout = 0;
  uint16_t speed = 0;
  uint16_t lid = 0;
  uint16_t smLid = 0;
  uint32_t capabilityMask = 0;
  uint32_t rateTenths = 0;  // Gb/s times ten
  uint64_t guid = 0;
  uint16_t pkeyViolations = 0;
  uint16_t qkeyViolations = 0;
  std::vector<RawGid> gids;
  std::vector<uint16_t> pkeys;
};

struct HcaState {
  uint64_t nodeGuid = 0;
  uint64_t sysImageGuid = 0;
  uint32_t vendorId = 0;
  uint32_t deviceId = 0;
  std::string nodeDescription;
  std::vector<PortState> ports;

  // NULL if there is no such port.
  const PortState *port(unsigned number) const;
};

class StatePage {
 public:
  // NULL and errno if the file cannot be mapped or is no state page.
  static std::unique_ptr<StatePage> open(const std::string &path);
  ~StatePage();
  StatePage(const StatePage &) = delete;
  StatePage &operator=(const StatePage &) = delete;

  // A consistent copy. False if the fabric stopped in the middle of a change, or the page makes no sense.
  bool read(HcaState &state) const;
  // Moves with every change of the page.
  uint32_t sequence() const;

 private:
  StatePage(const uint8_t *bytes, size_t size) : bytes_(bytes), size_(size) {}
  bool copy(std::vector<uint8_t> &page) const;

  const uint8_t *bytes_;
  size_t size_;
};

}  // namespace fabricsim
