// FrontEnd over real sockets: framing, the table, the owner's part, and invalidations against a crowd of readers.
#include "front/front-end.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "check.h"
#include "front/listener.h"

using namespace verbena::front;

namespace {

using Message = std::vector<uint8_t>;

Message Resolve(uint64_t tid, uint8_t subject) {
  Message message(kHeaderSize + kRecordSize);
  message[0] = 1;
  message[1] = 1;
  const auto length = static_cast<uint16_t>(message.size());
  std::memcpy(&message[6], &length, sizeof length);
  std::memcpy(&message[8], &tid, sizeof tid);
  message[kHeaderSize] = subject;
  return message;
}

// The generation stands where a path record has its flow label, as far as this test is concerned.
Message ReplyOf(const Message& request, uint32_t generation) {
  Message reply = request;
  std::memcpy(&reply[kHeaderSize + 4], &generation, sizeof generation);
  return reply;
}

uint32_t GenerationOf(const Message& reply) {
  uint32_t generation = 0;
  std::memcpy(&generation, &reply[kHeaderSize + 4], sizeof generation);
  return generation;
}

struct Event {
  uint32_t kind, a, b;
  uint64_t id;
  Message body;
};

std::vector<Event> Parse(const std::vector<uint8_t>& batch) {
  std::vector<Event> events;
  for (size_t at = 0; at < batch.size();) {
    uint32_t words[6];
    std::memcpy(words, &batch[at], sizeof words);
    const size_t body = at + sizeof words;
    events.push_back({words[0], words[4], words[5], static_cast<uint64_t>(words[3]) << 32 | words[2],
                      Message(batch.begin() + static_cast<std::ptrdiff_t>(body), batch.begin() + static_cast<std::ptrdiff_t>(body + words[1]))});
    at = body + (words[1] + 3) / 4 * 4;
  }
  return events;
}

int ConnectToTcp(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

int ConnectTo(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  CHECK_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// Of the front ends of this run.
Io tested_io = Io::kEpoll;

// A front end on a socket of its own, and the owner's side of its wake-ups.
struct Rig {
  explicit Rig(Limits limits) : path("/tmp/front-end-test-" + std::to_string(getpid())), front(limits, [this] { Woken(); }) {
    const char* syscall = "";
    CHECK_EQ(front.Start(tested_io, &syscall), 0);
    int fd = -1;
    unlink(path.c_str());
    CHECK_EQ(ListenOnPath(path, 128, &fd, &syscall), 0);
    CHECK_EQ(front.AddListener(fd), 0);
  }
  ~Rig() {
    front.Stop();
    unlink(path.c_str());
  }

  void Woken() {
    {
      const std::lock_guard lock(mutex);
      is_woken = true;
    }
    woken.notify_one();
  }

  // The next events; waits for them.
  std::vector<Event> Next() {
    for (;;) {
      {
        std::unique_lock lock(mutex);
        woken.wait(lock, [this] { return is_woken; });
        is_woken = false;
      }
      auto events = Parse(front.TakeEvents());
      if (!events.empty()) return events;
    }
  }

  Event NextOf(EventKind kind) {
    for (;;) {
      for (auto& event : Next()) {
        if (event.kind == static_cast<uint32_t>(kind)) return event;
      }
    }
  }

  int Connect() const { return ConnectTo(path); }

  int ConnectOverTcp() {
    uint16_t port = 0;
    int fd = -1;
    const char* syscall = "";
    CHECK_EQ(ListenOnTcp("127.0.0.1", &port, 16, &fd, &syscall), 0);
    CHECK_EQ(front.AddListener(fd), 0);
    return ConnectToTcp(port);
  }

  std::string path;
  std::mutex mutex;
  std::condition_variable woken;
  bool is_woken = false;
  FrontEnd front;
};

void Send(int fd, const Message& bytes) { CHECK_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), bytes.size()); }

Message Receive(int fd, size_t size) {
  Message bytes(size);
  CHECK_EQ(recv(fd, bytes.data(), size, MSG_WAITALL), size);
  return bytes;
}

constexpr Limits kLimits = {16, 4, 1 << 20, 1 << 20};
constexpr uint64_t kHour = uint64_t{3600} * 1000000000;

void Put(FrontEnd& front, const Message& request, uint32_t generation, uint32_t tag, uint64_t ttl_ns = kHour) {
  const Message reply = ReplyOf(request, generation);
  front.Put(request.data(), request.size(), reply.data(), reply.size(), ttl_ns, 3, &tag, 1);
}

void TestHitsAndMisses() {
  Rig rig(kLimits);
  const int fd = rig.Connect();
  Send(fd, Resolve(1, 9));
  const Event asked = rig.NextOf(EventKind::kRequest);
  CHECK(asked.body == Resolve(1, 9));
  Put(rig.front, asked.body, 5, 0);
  // A hit of the same tid must not overtake the request that is still open; one of another tid may.
  Send(fd, Resolve(1, 9));
  const Event behind = rig.NextOf(EventKind::kRequest);
  Send(fd, Resolve(2, 9));
  CHECK(Receive(fd, 88) == ReplyOf(Resolve(2, 9), 5));
  const Message late = ReplyOf(Resolve(1, 9), 4);
  CHECK(!rig.front.Reply(asked.id, ReadTid(asked.body.data()), late.data(), late.size()));
  CHECK(!rig.front.Reply(behind.id, ReadTid(behind.body.data()), late.data(), late.size()));
  CHECK(Receive(fd, 88) == late);
  CHECK(Receive(fd, 88) == late);
  // In pieces, and glued.
  Message both = Resolve(7, 9);
  const Message second = Resolve(8, 9);
  both.insert(both.end(), second.begin(), second.end());
  Send(fd, Message(both.begin(), both.begin() + 3));
  CHECK_EQ(rig.NextOf(EventKind::kState).a, 1);
  Send(fd, Message(both.begin() + 3, both.end()));
  CHECK(Receive(fd, 88) == ReplyOf(Resolve(7, 9), 5));
  CHECK(Receive(fd, 88) == ReplyOf(second, 5));
  const Hits hits = rig.front.TakeHits();
  CHECK_EQ(hits.by_account.size(), 4);
  CHECK_EQ(hits.by_account[3], 3);
  CHECK_EQ(hits.by_client.size(), 1);
  CHECK_EQ(hits.by_client[0].count, 3);
  CHECK_EQ(hits.by_client[0].peer.pid, getpid());
  CHECK(rig.front.TakeHits().by_client.empty());
  // Invalidated and expired replies are asked for.
  const uint32_t tag = 0;
  rig.front.Invalidate(&tag, 1);
  Send(fd, Resolve(3, 9));
  rig.NextOf(EventKind::kRequest);
  Put(rig.front, Resolve(0, 9), 6, 0, 0);
  Send(fd, Resolve(4, 9));
  rig.NextOf(EventKind::kRequest);
  close(fd);
  CHECK_EQ(rig.NextOf(EventKind::kGone).a, static_cast<uint32_t>(Reason::kLeft));
}

// A client that does not read gets what is true when it reads, not what was true when it asked.
void TestStalledHit(bool is_tcp) {
  Rig rig(kLimits);
  const int fd = is_tcp ? rig.ConnectOverTcp() : rig.Connect();
  Put(rig.front, Resolve(0, 9), 1, 0);
  CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
  size_t asked = 0;
  const Message request = Resolve(0, 9);
  size_t at = 0;
  // Until the front end says that the client does not read.
  for (bool is_stalled = false; !is_stalled;) {
    const ssize_t sent = send(fd, request.data() + at, request.size() - at, MSG_NOSIGNAL);
    if (sent > 0) {
      at = (at + static_cast<size_t>(sent)) % request.size();
      if (at == 0) asked++;
    }
    for (const Event& event : Parse(rig.front.TakeEvents())) {
      is_stalled = is_stalled || (event.kind == static_cast<uint32_t>(EventKind::kState) && (event.a & 2) != 0);
    }
  }
  const uint32_t tag = 0;
  // TCP may find room by itself, and nobody would answer what is asked between this and the new reply.
  if (!is_tcp) rig.front.Invalidate(&tag, 1);
  Put(rig.front, request, 2, 0);
  // An answer that the system has is on its way already; not one of those that it would not take.
  CHECK_EQ(fcntl(fd, F_SETFL, 0), 0);
  size_t older = 0;
  for (size_t i = 0; i < asked; i++) {
    const uint32_t generation = GenerationOf(Receive(fd, 88));
    if (generation == 1) CHECK_EQ(older++, i);
  }
  CHECK(older > 0 && (is_tcp || older < asked));
  close(fd);
}

// As many requests as the owner takes at a time, and one more.
std::vector<Event> FillUp(Rig& rig, int fd) {
  for (uint64_t tid = 1; tid <= kLimits.max_open_requests + 1; tid++) Send(fd, Resolve(tid, 9));
  std::vector<Event> asked;
  while (asked.size() < kLimits.max_open_requests) {
    for (Event& event : rig.Next()) {
      if (event.kind == static_cast<uint32_t>(EventKind::kRequest)) asked.push_back(std::move(event));
    }
  }
  return asked;
}

void TestGoneWhilePaused() {
  Rig rig(kLimits);
  const int fd = rig.Connect();
  FillUp(rig, fd);
  close(fd);
  CHECK_EQ(rig.NextOf(EventKind::kGone).a, static_cast<uint32_t>(Reason::kLeft));
  CHECK_EQ(rig.front.client_count(), 0);
}

// Clients that come, ask and go without waiting for the answer, and the end of the front end with some of them there.
// Requests that the socket takes now.
size_t SendUntilFull(int fd) {
  const Message request = Resolve(1, 9);
  size_t count = 0;
  while (send(fd, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(request.size())) count++;
  return count;
}

// A client asks as fast as it can and is answered one by one: beyond what has been answered only so much of it is taken.
void TestPausedInputIsBounded() {
  Rig rig(kLimits);
  int nobody[2];
  CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, nobody), 0);
  const size_t room = SendUntilFull(nobody[0]);
  const int fd = rig.Connect();
  size_t sent = SendUntilFull(fd);
  constexpr size_t kAnswers = 400;
  const Message reply = ReplyOf(Resolve(1, 9), 5);
  size_t asked = 0;
  uint64_t client = 0;
  for (size_t answered = 0; answered < kAnswers; answered++) {
    while (asked <= answered) {
      for (const Event& event : rig.Next()) {
        if (event.kind != static_cast<uint32_t>(EventKind::kRequest)) continue;
        asked++;
        client = event.id;
      }
    }
    rig.front.Reply(client, ReadTid(reply.data()), reply.data(), reply.size());
    CHECK(Receive(fd, reply.size()) == reply);
    sent += SendUntilFull(fd);
  }
  constexpr size_t kPieces = 65536 / (kHeaderSize + kRecordSize);
  CHECK(sent <= room + kAnswers + kLimits.max_open_requests + kPieces);
  for (const int each : {nobody[0], nobody[1], fd}) close(each);
}

void TestLeaversAtOnce() {
  Limits limits = kLimits;
  limits.max_clients = 4096;
  Rig rig(limits);
  Put(rig.front, Resolve(0, 9), 1, 0);
  for (int i = 0; i < 2000; i++) {
    const int fd = rig.Connect();
    Send(fd, Resolve(1, static_cast<uint8_t>(8 + i % 2)));
    if (i % 3 == 0) CHECK_EQ(shutdown(fd, SHUT_RD), 0);
    close(fd);
    rig.front.TakeEvents();
  }
  std::vector<int> staying;
  for (int i = 0; i < 50; i++) staying.push_back(rig.Connect());
  for (const int fd : staying) Send(fd, Resolve(1, 9));
  for (const int fd : staying) CHECK(Receive(fd, 88) == ReplyOf(Resolve(1, 9), 1));
  rig.front.Stop();
  char byte = 0;
  for (const int fd : staying) {
    CHECK_EQ(recv(fd, &byte, 1, 0), 0);
    close(fd);
  }
}

void TestFinish() {
  Rig rig(kLimits);
  const int idle = rig.Connect();
  const int busy = rig.Connect();
  Send(busy, Resolve(1, 1));
  const Event asked = rig.NextOf(EventKind::kRequest);
  rig.front.Finish();
  char byte = 0;
  CHECK_EQ(recv(idle, &byte, 1, 0), 0);
  rig.front.Reply(asked.id, ReadTid(asked.body.data()), asked.body.data(), asked.body.size());
  CHECK(Receive(busy, 88) == asked.body);
  CHECK_EQ(recv(busy, &byte, 1, 0), 0);
  rig.NextOf(EventKind::kEmpty);
  CHECK_EQ(rig.front.client_count(), 0);
  close(idle);
  close(busy);
}

// Whoever has connected sees the end of the stream, accepted or not: the system would reset what is closed before it was accepted.
void TestFinishWithBacklog() {
  Limits limits = kLimits;
  limits.max_clients = 128;
  Rig rig(limits);
  const std::string path = rig.path + "-waiting";
  int fd = -1;
  const char* syscall = "";
  unlink(path.c_str());
  CHECK_EQ(ListenOnPath(path, 128, &fd, &syscall), 0);
  std::vector<int> clients;
  for (int i = 0; i < 100; i++) clients.push_back(ConnectTo(path));
  CHECK_EQ(rig.front.AddListener(fd), 0);
  rig.front.Finish();
  for (const int client : clients) {
    char byte = 0;
    CHECK_EQ(recv(client, &byte, 1, 0), 0);
    close(client);
  }
  unlink(path.c_str());
}

// No answer is older than the last invalidation that had returned before the request was sent.
void TestRace(uint32_t requests) {
  constexpr int kClients = 3;
  Rig rig(kLimits);
  std::atomic<uint32_t> returned{0};
  std::atomic<int> left{kClients};
  std::atomic<uint64_t> answered{0};
  std::vector<std::thread> clients;
  for (int n = 0; n < kClients; n++) {
    clients.emplace_back([&, n] {
      const int fd = rig.Connect();
      for (uint32_t i = 0; i < requests / kClients; i++) {
        const uint32_t least = returned;
        Send(fd, Resolve(i, static_cast<uint8_t>(i % 2)));
        const Message reply = Receive(fd, 88);
        CHECK(GenerationOf(reply) >= least);
        CHECK_EQ(ReadTid(reply.data()), i);
        answered++;
      }
      close(fd);
      left--;
      rig.Woken();
    });
  }
  uint32_t generation = 0;
  uint64_t misses = 0;
  uint32_t dice = 12345;
  while (left > 0) {
    for (const Event& event : Parse(rig.front.TakeEvents())) {
      if (event.kind != static_cast<uint32_t>(EventKind::kRequest)) continue;
      misses++;
      const Message reply = ReplyOf(event.body, generation);
      rig.front.Reply(event.id, ReadTid(event.body.data()), reply.data(), reply.size());
      Put(rig.front, event.body, generation, 0);
    }
    dice = dice * 1664525 + 1013904223;
    if (dice >> 28 != 0) {
      std::this_thread::yield();
      continue;
    }
    generation++;
    const uint32_t tag = 0;
    rig.front.Invalidate(&tag, 1);
    returned = generation;
  }
  for (auto& client : clients) client.join();
  uint64_t hits = 0;
  for (const uint64_t count : rig.front.TakeHits().by_account) hits += count;
  CHECK_EQ(hits + misses, answered);
  std::printf("%llu answers, %llu from the table, %u invalidations\n", static_cast<unsigned long long>(answered),
              static_cast<unsigned long long>(hits), generation);
}

// A listening socket that fails at each attempt is reported once in a while, and the others are served.
void TestFailingListener() {
  Rig rig(kLimits);
  const std::string path = rig.path + "-failing";
  const char* syscall = "";
  int fd = -1;
  unlink(path.c_str());
  CHECK_EQ(ListenOnPath(path, 128, &fd, &syscall), 0);
  CHECK_EQ(shutdown(fd, SHUT_RDWR), 0);
  const uint64_t begin = MonotonicNs();
  CHECK_EQ(rig.front.AddListener(fd), 0);
  for (int i = 0; i < 3; i++) CHECK_EQ(rig.NextOf(EventKind::kFailed).a, EINVAL);
  CHECK(MonotonicNs() - begin >= 200'000'000);
  const int client = rig.Connect();
  Send(client, Resolve(1, 9));
  CHECK(rig.NextOf(EventKind::kRequest).body == Resolve(1, 9));
  rig.front.CloseListeners();
  close(client);
  unlink(path.c_str());
}

// Why the system refuses a ring; empty if it does not.
std::string RefusalOfRing() {
  FrontEnd front(kLimits, [] {});
  const char* syscall = "";
  const int error = front.Start(Io::kRing, &syscall);
  return error == 0 ? "" : std::string(syscall) + ": " + std::strerror(error);
}

}  // namespace

// front-end-test [REQUESTS]: of the race, which is all that runs then.
int main(int count, char** arguments) {
  for (const Io io : {Io::kEpoll, Io::kRing}) {
    const std::string refusal = io == Io::kRing ? RefusalOfRing() : "";
    if (!refusal.empty()) {
      std::printf("not with a ring: %s\n", refusal.c_str());
      continue;
    }
    std::printf("with %s\n", io == Io::kRing ? "a ring" : "epoll");
    tested_io = io;
    if (count > 1) {
      TestRace(static_cast<uint32_t>(std::atoll(arguments[1])));
      continue;
    }
    TestHitsAndMisses();
    TestStalledHit(false);
    TestStalledHit(true);
    TestGoneWhilePaused();
    TestPausedInputIsBounded();
    TestLeaversAtOnce();
    TestFinish();
    TestFinishWithBacklog();
    TestFailingListener();
    TestRace(100000);
  }
  return 0;
}
