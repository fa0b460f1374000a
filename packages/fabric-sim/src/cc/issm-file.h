// A port's issm file: while a program holds it open, the port's IsSM bit is set, so that subnet managers find each other.
// The program gets one end of a socket pair; when the last copy of that end is closed, the other end tells us.
#pragma once

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "device.h"

namespace fabricsim {

class IssmFile {
 public:
  // The path that umad_get_issm_path gives for port `portNumber` of device simN.
  static std::string path(const std::string &directory, unsigned ordinal, unsigned portNumber);
  // Opens if `path` is one of ours: the descriptor, or -1 with errno. `isOurs` says whether it is.
  static int open(const char *path, int flags, bool &isOurs);
  // Drops those whose program end has been closed, and clears their IsSM. `polled`: results, files from the third entry on.
  static void reap(std::vector<std::unique_ptr<IssmFile>> &files, const std::vector<struct pollfd> &polled);

  IssmFile(int watchFd, const Device &device, unsigned portNumber) : watchFd_(watchFd), device_(device), portNumber_(portNumber) {}
  ~IssmFile();
  IssmFile(const IssmFile &) = delete;
  IssmFile &operator=(const IssmFile &) = delete;
  int watchFd() const { return watchFd_; }

 private:
  static Bytes request(uint32_t hcaIndex, unsigned portNumber, bool on);

  int watchFd_;
  const Device &device_;
  unsigned portNumber_;
};

}  // namespace fabricsim
