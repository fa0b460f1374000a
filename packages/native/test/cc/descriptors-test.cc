#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

using namespace verbena;

namespace {

void ReadsPeers() {
  int pair[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  PeerCredentials peer;
  CHECK_EQ(ReadPeerCredentials(pair[0], &peer), 0);
  CHECK_EQ(peer.pid, getpid());
  CHECK_EQ(peer.uid, getuid());
  const int tcp = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQ(ReadPeerCredentials(tcp, &peer), ENOTCONN);
  CHECK_EQ(ReadPeerCredentials(999, &peer), EBADF);
  for (const int fd : {pair[0], pair[1], tcp}) close(fd);
}

void DescribesSockets() {
  SocketFacts facts;
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQ(DescribeSocket(fd, &facts), 0);
  CHECK_EQ(facts.family, AF_UNIX);
  CHECK(!facts.is_listening);
  CHECK_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  sockaddr_un address = {AF_UNIX, ""};
  CHECK_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address.sun_family), 0);
  CHECK_EQ(listen(fd, 1), 0);
  CHECK_EQ(DescribeSocket(fd, &facts), 0);
  CHECK(facts.is_listening);
  close(fd);
  CHECK_EQ(DescribeSocket(fd, &facts), EBADF);
}

void SendsDatagrams(const std::string& dir) {
  for (const std::string& path : {dir + "/notify", std::string("@verbena-test-") + std::to_string(getpid())}) {
    const int receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    CHECK_EQ(bind(receiver, reinterpret_cast<sockaddr*>(&address), length), 0);
    const char* syscall = "";
    CHECK_EQ(SendDatagram(path, reinterpret_cast<const uint8_t*>("READY=1"), 7, &syscall), 0);
    char got[16] = {};
    CHECK_EQ(recv(receiver, got, sizeof got, 0), 7);
    CHECK(strcmp(got, "READY=1") == 0);
    close(receiver);
  }
  const char* syscall = "";
  CHECK_EQ(SendDatagram(dir + "/nobody", nullptr, 0, &syscall), ENOENT);
  CHECK_EQ(SendDatagram(std::string(108, 'x'), nullptr, 0, &syscall), ENAMETOOLONG);
  CHECK_EQ(SendDatagram("", nullptr, 0, &syscall), ENAMETOOLONG);
}

void LocksFiles(const std::string& dir) {
  const std::string path = dir + "/lock";
  const char* syscall = "";
  int fd = -1, second = -1;
  umask(0);
  CHECK_EQ(LockFile(path, 0640, &fd, &syscall), 0);
  struct stat facts;
  CHECK_EQ(fstat(fd, &facts), 0);
  CHECK_EQ(facts.st_mode & 07777, 0640);
  CHECK_EQ(LockFile(path, 0640, &second, &syscall), EAGAIN);
  CHECK(strcmp(syscall, "fcntl") == 0);
  CHECK_EQ(second, -1);
  // Other programs lock with lockf(), whose locks must see ours.
  const pid_t child = fork();
  if (child == 0) {
    const int other = open(path.c_str(), O_RDWR);
    _exit(lockf(other, F_TLOCK, 0) == -1 && (errno == EAGAIN || errno == EACCES) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  close(fd);
  CHECK_EQ(LockFile(path, 0640, &second, &syscall), 0);
  close(second);
  CHECK_EQ(LockFile(dir + "/no/such/folder", 0640, &fd, &syscall), ENOENT);
  CHECK(strcmp(syscall, "open") == 0);
}

}  // namespace

int main() {
  char dir[] = "/tmp/verbena-descriptors-XXXXXX";
  CHECK(mkdtemp(dir) != nullptr);
  ReadsPeers();
  DescribesSockets();
  SendsDatagrams(dir);
  LocksFiles(dir);
  return system((std::string("rm -r ") + dir).c_str());
}
