#include "issm-file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "process.h"

namespace fabricsim {

namespace {
constexpr const char *kPrefix = "issm-sim";
constexpr size_t kFirstFileEntry = 2;
}  // namespace

IssmFile::~IssmFile() { close(watchFd_); }

std::string IssmFile::path(const std::string &directory, unsigned ordinal, unsigned portNumber) {
  return directory + "/" + kPrefix + std::to_string(ordinal) + "-" + std::to_string(portNumber);
}

Bytes IssmFile::request(uint32_t hcaIndex, unsigned portNumber, bool on) {
  LeWriter body;
  body.u32(hcaIndex).u8(static_cast<uint8_t>(portNumber)).u8(on ? 1 : 0).u16(0);
  return body.bytes();
}

int IssmFile::open(const char *name, int flags, bool &isOurs) {
  isOurs = false;
  // Cheap and harmless for all other files, also in a signal handler: no lock, nothing allocated.
  const char *slash = strrchr(name, '/');
  if (slash == nullptr || strncmp(slash + 1, kPrefix, strlen(kPrefix)) != 0) return -1;
  unsigned ordinal = 0;
  unsigned portNumber = 0;
  if (sscanf(slash + 1 + strlen(kPrefix), "%u-%u", &ordinal, &portNumber) != 2) return -1;

  Process &process = Process::get();
  Lock lock = process.lock();
  if (!process.isAttached() || path(process.directory(), ordinal, portNumber) != name) return -1;
  isOurs = true;
  int error = process.start();
  if (error == 0 && ordinal >= process.devices().size()) error = ENXIO;
  int ends[2];
  if (error == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) error = errno;
  if (error != 0) {
    errno = error;
    return -1;
  }
  const Device &device = process.devices()[ordinal];
  auto file = std::make_unique<IssmFile>(ends[0], device, portNumber);
  error = device.client().call(lock, attach::kSetIssm, request(device.hcaIndex(), portNumber, true));
  if (error != 0) {
    close(ends[1]);
    errno = error;
    return -1;
  }
  process.issmFiles().push_back(std::move(file));
  process.wake();
  if ((flags & O_CLOEXEC) == 0) fcntl(ends[1], F_SETFD, 0);
  return ends[1];
}

void IssmFile::reap(std::vector<std::unique_ptr<IssmFile>> &files, const std::vector<struct pollfd> &polled) {
  for (size_t i = kFirstFileEntry; i < polled.size(); ++i) {
    if (polled[i].revents == 0) continue;
    auto found = std::find_if(files.begin(), files.end(), [&](const auto &file) { return file->watchFd() == polled[i].fd; });
    if (found == files.end()) continue;
    const Device &device = (*found)->device_;
    device.client().send(attach::kSetIssm, request(device.hcaIndex(), (*found)->portNumber_, false));
    files.erase(found);
  }
}

}  // namespace fabricsim
