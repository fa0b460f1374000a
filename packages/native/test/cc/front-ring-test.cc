// What a front end does where the system refuses it a ring.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

#include "check.h"
#include "front/front-end.h"

using namespace verbena::front;

namespace {

constexpr Limits kLimits = {16, 4, 1 << 20, 1 << 20};

// For this thread and those that it starts, for good. False where filters are not allowed.
bool Refuse(long number) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof program / sizeof program[0], program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void TestRefused(long number, const char* name) {
  std::thread([=] {
    const char* syscall = "";
    FrontEnd before(kLimits, [] {});
    const bool is_allowed = before.Start(Io::kRing, &syscall) == 0;
    if (!Refuse(number)) {
      std::printf("not tested: filters on system calls are not allowed\n");
      return;
    }
    FrontEnd automatic(kLimits, [] {});
    CHECK_EQ(automatic.Start(Io::kAuto, &syscall), 0);
    CHECK(automatic.io() == Io::kEpoll);
    CHECK(automatic.ring_failure().error != 0);
    FrontEnd ring(kLimits, [] {});
    const int error = ring.Start(Io::kRing, &syscall);
    CHECK_EQ(error, automatic.ring_failure().error);
    if (!is_allowed) return;  // refused before already, and perhaps by other means
    CHECK_EQ(error, EPERM);
    CHECK(std::strcmp(syscall, name) == 0);
  }).join();
}

void TestChoice() {
  const char* syscall = "";
  FrontEnd epoll(kLimits, [] {});
  CHECK_EQ(epoll.Start(Io::kEpoll, &syscall), 0);
  CHECK(epoll.io() == Io::kEpoll);
  CHECK_EQ(epoll.ring_failure().error, 0);
  FrontEnd automatic(kLimits, [] {});
  CHECK_EQ(automatic.Start(Io::kAuto, &syscall), 0);
  CHECK_EQ(automatic.io() == Io::kEpoll, automatic.ring_failure().error != 0);
}

}  // namespace

int main() {
  TestChoice();
  TestRefused(SYS_io_uring_setup, "io_uring_setup");
  TestRefused(SYS_io_uring_register, "io_uring_register");
  TestRefused(SYS_io_uring_enter, "io_uring_enter");
  return 0;
}
