#pragma once

#include <cstdint>
#include <string>

namespace verbena::front {

// Listening stream sockets that do not block. All: 0 or a positive errno, with `*syscall` naming what failed; then nothing is left open.

// Binds to `path`, which must not exist; its mode is the caller's to set before anybody should come in.
int ListenOnPath(const std::string& path, int backlog, int* fd, const char** syscall);
// IPv4, as text. `*port`: 0 takes a free one; the one taken is written back.
int ListenOnTcp(const std::string& host, uint16_t* port, int backlog, int* fd, const char** syscall);
// A socket that somebody else has bound.
int ListenOnDescriptor(int fd, int backlog, const char** syscall);

}  // namespace verbena::front
