#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace verbena {

// Small system services on descriptors. All: 0 or a positive errno.

struct PeerCredentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};
// ENOTCONN if the socket has no peer with credentials (TCP, netlink).
int ReadPeerCredentials(int fd, PeerCredentials* out);

struct SocketFacts {
  int family;
  int type;
  int protocol;
  bool is_listening;
};
// ENOTSOCK for a descriptor that is no socket, EBADF for none at all. Marks the descriptor close-on-exec.
int DescribeSocket(int fd, SocketFacts* out);

// One datagram to a Unix socket; `@name` is in the abstract name space. `*syscall` names what failed.
int SendDatagram(const std::string& path, const uint8_t* data, size_t size, const char** syscall);

// Opens (creates with `mode`) and locks the whole file, exclusively, without waiting. EAGAIN if it is locked already, by this process
// too. Excludes holders of lockf() and fcntl() locks; unlike those, the lock does not end when the process closes another
// descriptor of the same file.
int LockFile(const std::string& path, mode_t mode, int* fd, const char** syscall);

}  // namespace verbena
