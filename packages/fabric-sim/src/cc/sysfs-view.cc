// libibverbs: helpers that read sysfs. The attributes of simulated devices are made up on the spot; other files are read.
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "export.h"
#include "process.h"
#include "raw-open.h"

using namespace fabricsim;

namespace {

constexpr std::string_view kClassDir = "/sys/class/infiniband/";

std::string print(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string print(const char *format, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string guidText(uint64_t guid) {
  return print("%04x:%04x:%04x:%04x", static_cast<unsigned>(guid >> 48) & 0xffff, static_cast<unsigned>(guid >> 32) & 0xffff,
               static_cast<unsigned>(guid >> 16) & 0xffff, static_cast<unsigned>(guid) & 0xffff);
}

std::string gidText(const RawGid &gid) {
  std::string text;
  for (size_t i = 0; i < gid.size(); i += 2) text += print(i == 0 ? "%02x%02x" : ":%02x%02x", gid[i], gid[i + 1]);
  return text;
}

// The index behind a directory name, as in "gids/3".
std::optional<size_t> indexAfter(std::string_view name, std::string_view directory, size_t limit) {
  if (!name.starts_with(directory)) return std::nullopt;
  std::string digits(name.substr(directory.size()));
  size_t index = 0;
  char rest = 0;
  if (sscanf(digits.c_str(), "%zu%c", &index, &rest) != 1 || index >= limit) return std::nullopt;
  return index;
}

std::optional<std::string> portAttribute(const PortState &port, std::string_view name) {
  static constexpr const char *kStates[] = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  static constexpr const char *kPhysical[] = {"", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp", "LinkErrorRecovery"};
  if (name == "lid") return print("0x%x", port.lid);
  if (name == "sm_lid") return print("0x%x", port.smLid);
  if (name == "sm_sl") return print("%u", port.smSl);
  if (name == "lid_mask_count") return print("%u", port.lmc);
  if (name == "cap_mask") return print("0x%08x", port.capabilityMask);
  if (name == "link_layer") return "InfiniBand";
  if (name == "rate") return print(port.rateTenths % 10 == 0 ? "%u Gb/sec" : "%u.%u Gb/sec", port.rateTenths / 10, port.rateTenths % 10);
  if (name == "state") return print("%u: %s", port.state, port.state < std::size(kStates) ? kStates[port.state] : "");
  if (name == "phys_state") return print("%u: %s", port.physState, port.physState < std::size(kPhysical) ? kPhysical[port.physState] : "");
  if (auto i = indexAfter(name, "gids/", port.gids.size())) return gidText(port.gids[*i]);
  if (auto i = indexAfter(name, "pkeys/", port.pkeys.size())) return print("0x%04x", port.pkeys[*i]);
  if (indexAfter(name, "gid_attrs/types/", port.gids.size())) return "IB/RoCE v1";
  return std::nullopt;
}

std::optional<std::string> deviceAttribute(const HcaState &state, std::string_view name) {
  if (name == "node_type") return "1: CA";
  if (name == "node_guid") return guidText(state.nodeGuid);
  if (name == "sys_image_guid") return guidText(state.sysImageGuid);
  if (name == "node_desc") return state.nodeDescription;
  if (name == "fw_ver") return kFirmwareVersion;
  if (name == "hca_type") return kCaType;
  if (name == "board_id") return kBoardId;
  if (name == "hw_rev") return "0";
  unsigned number = 0;
  int used = 0;
  std::string text(name);
  if (sscanf(text.c_str(), "ports/%u/%n", &number, &used) != 1 || used == 0) return std::nullopt;
  const PortState *port = state.port(number);
  return port == nullptr ? std::nullopt : portAttribute(*port, name.substr(static_cast<size_t>(used)));
}

// `isOurs`: the path lies below a simulated device.
std::optional<std::string> simulated(std::string_view path, bool &isOurs) {
  isOurs = false;
  if (!path.starts_with(kClassDir)) return std::nullopt;
  path.remove_prefix(kClassDir.size());
  size_t slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Process &process = Process::get();
  Lock lock = process.lock();
  Device *device = process.device(std::string(path.substr(0, slash)));
  if (device == nullptr) return std::nullopt;
  isOurs = true;
  HcaState state;
  if (!device->read(state)) return std::nullopt;
  return deviceAttribute(state, path.substr(slash + 1));
}

int readFile(const std::string &path, char *buffer, size_t size) {
  int fd = rawOpen(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t length = read(fd, buffer, size);
  close(fd);
  if (length > 0 && buffer[length - 1] == '\n') buffer[--length] = '\0';
  if (length >= 0 && static_cast<size_t>(length) < size) buffer[length] = '\0';
  return static_cast<int>(length);
}

int readAttribute(std::string path, char *buffer, size_t size) {
  bool isOurs = false;
  auto text = simulated(path, isOurs);
  if (!isOurs) return readFile(path, buffer, size);
  if (!text || size == 0) {
    errno = text ? EINVAL : ENOENT;
    return -1;
  }
  size_t length = text->size() < size ? text->size() : size - 1;
  memcpy(buffer, text->data(), length);
  buffer[length] = '\0';
  return static_cast<int>(length);
}

}  // namespace

FABRICSIM_EXPORT const char *ibv_get_sysfs_path(void) { return "/sys"; }

// Length of the attribute without its newline, or -1 with errno.
FABRICSIM_EXPORT int ibv_read_sysfs_file(const char *directory, const char *file, char *buffer, size_t size) {
  return readAttribute(std::string(directory) + "/" + file, buffer, size);
}

FABRICSIM_EXPORT int ibv_read_ibdev_sysfs_file(char *buffer, size_t size, vb_ibv_device **device, const char *format, ...) {
  if (device == nullptr || *device == nullptr) {
    errno = EINVAL;
    return -1;
  }
  char file[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(file, sizeof file, format, arguments);
  va_end(arguments);
  return readAttribute(std::string((*device)->ibdev_path) + "/" + file, buffer, size);
}
