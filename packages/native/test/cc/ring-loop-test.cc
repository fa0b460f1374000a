// What a ring tells of a client that comes up twice in one turn.
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <string>

#include "check.h"
#include "front/ring-loop.h"

using namespace verbena::front;

namespace {

std::string Read(int fd) {
  char bytes[64];
  const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  return got > 0 ? std::string(bytes, static_cast<size_t>(got)) : "";
}

// Answers a client once, when it hears of it first; by the time it hears of it again that answer MUST be with the peer.
class OneAnswer : public LoopHandler {
 public:
  explicit OneAnswer(int peer) : peer_(peer) {}

  Loop* loop = nullptr;
  Connection* client = nullptr;
  int looks = 0;
  std::string before_second_look;

  std::unique_lock<std::mutex> LockAsThread() override { return std::unique_lock(mutex_); }
  void BeginTurn() override {}
  void OnInput(Connection& of, const uint8_t*, ssize_t, bool) override { Look(of); }
  void OnWritable(Connection&) override {}
  void OnUnsent(Connection&, const Answer&, ssize_t) override { CHECK(false); }
  void OnListener(Source&, bool) override {}

  // Both a receive, of bytes that are there already, and a look at the set, where it is writable, are under way from here on.
  void OnWake() override {
    CHECK_EQ(loop->Add(*client), 0);
    loop->Want(*client, false, true);
  }

  bool EndTurn(int* wait_ms) override {
    *wait_ms = -1;
    if (looks < 2) return true;
    loop->Release(*client);
    return false;
  }

 private:
  void Look(Connection& of) {
    looks++;
    if (looks == 1) {
      const Answer answer = {reinterpret_cast<const uint8_t*>("ask"), 3, reinterpret_cast<const uint8_t*>("answer"), 6, 0};
      CHECK(loop->Submit(of, answer));
    } else if (looks == 2) {
      before_second_look = Read(peer_);
    }
  }

  std::mutex mutex_;
  const int peer_;
};

void TestAnswersGoOutBeforeMoreIsTold() {
  int fds[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  CHECK_EQ(write(fds[1], "more", 4), 4);
  OneAnswer handler(fds[1]);
  RingLoop loop(handler);
  handler.loop = &loop;
  const char* syscall = "";
  if (const int error = loop.Open(&syscall)) {
    std::printf("not tested: %s says %s\n", syscall, std::strerror(error));
    return;
  }
  handler.client = new Connection(fds[0], 1, Peer{});
  loop.Wake();
  loop.Run();
  CHECK(handler.before_second_look == "answer");
  close(fds[1]);
}

}  // namespace

int main() {
  TestAnswersGoOutBeforeMoreIsTold();
  return 0;
}
