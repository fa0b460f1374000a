// What the connection does with bytes that no fabric would send, and with answers that do not come.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <thread>

#include "attach-client.h"
#include "check.h"

using namespace fabricsim;

namespace {

struct Recorder : AttachEvents {
  int packets = 0;
  int events = 0;
  int losses = 0;
  size_t packetBytes = 0;
  int data = 0;
  size_t dataBytes = 0;
  int batches = 0;
  void onPacket(uint32_t, ByteView packet) override {
    ++packets;
    packetBytes += packet.size();
  }
  void onData(uint32_t, uint8_t, ByteView packet) override {
    ++data;
    dataBytes += packet.size();
  }
  void onBatchEnd() override { ++batches; }
  void onAsyncEvent(uint32_t, uint8_t, uint8_t) override { ++events; }
  void onLost() override { ++losses; }
};

struct Pair {
  int fabric;
  AttachClient client;
  Recorder recorder;

  Pair() : Pair(make()) {}
  ~Pair() { close(fabric); }
  void feed(const Bytes &bytes) {
    CHECK(write(fabric, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    client.readReady(recorder);
  }

 private:
  struct Ends {
    int ours;
    int theirs;
  };
  explicit Pair(Ends ends) : fabric(ends.ours), client(ends.theirs) {}
  static Ends make() {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    return {ends[0], ends[1]};
  }
};

Bytes frame(uint16_t type, uint32_t tag, const Bytes &body) {
  LeWriter writer;
  writer.u32(static_cast<uint32_t>(8 + body.size())).u16(type).u16(0).u32(tag).raw(body);
  return writer.bytes();
}

void splitFrames() {
  Pair pair;
  Bytes bytes = frame(attach::kPacket, 0, LeWriter().u32(5).u64(1).bytes());
  for (uint8_t byte : bytes) pair.feed({byte});
  CHECK(pair.recorder.packets == 1 && pair.recorder.packetBytes == 8);
  Bytes glued = bytes;
  Bytes event = frame(attach::kAsyncEvent, 0, LeWriter().u32(0).u8(9).u8(1).u16(0).bytes());
  glued.insert(glued.end(), event.begin(), event.end());
  pair.feed(glued);
  CHECK(pair.recorder.packets == 2 && pair.recorder.events == 1 && pair.recorder.losses == 0);
  pair.feed(frame(77, 0, {1, 2, 3}));  // a newer announcement
  pair.feed(frame(0x8002, 99, LeWriter().u32(0).bytes()));  // an answer that nobody waits for
  CHECK(!pair.client.isLost());
}

void brokenFrames() {
  for (const Bytes &bytes : {LeWriter().u32(7).u64(0).bytes(), LeWriter().u32(65537).u64(0).bytes(), LeWriter().u32(0xffffffff).u64(0).bytes(),
                             frame(attach::kPacket, 0, {1, 2, 3}), frame(attach::kAsyncEvent, 0, {1}),
                             frame(0x8002, 1, {}), frame(0x8002, 1, LeWriter().u32(0xffffffff).bytes())}) {
    Pair pair;
    pair.feed(bytes);
    CHECK(pair.client.isLost() && pair.recorder.losses == 1);
    pair.client.readReady(pair.recorder);
    CHECK(pair.recorder.losses == 1);
  }
}

void randomBytes() {
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    Pair pair;
    Bytes body(random() % 40);
    for (uint8_t &byte : body) byte = static_cast<uint8_t>(random());
    Bytes bytes = frame(static_cast<uint16_t>(random() % 12 | (random() % 2 << 15)), random() % 3, body);
    if (random() % 3 == 0) bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 << (random() % 8));
    pair.feed(bytes);
  }
}

void dataFrames() {
  Pair pair;
  Bytes bytes = frame(attach::kData, 0, LeWriter().u32(3).u32(1).u64(1).u64(2).bytes());
  Bytes two = bytes;
  two.insert(two.end(), bytes.begin(), bytes.end());
  pair.feed(two);
  CHECK(pair.recorder.data == 2 && pair.recorder.dataBytes == 32 && pair.recorder.batches == 1);
  // What it writes is such a frame.
  uint8_t *packet = pair.client.addData(3, 1, 16);
  for (int i = 0; i < 16; ++i) packet[i] = static_cast<uint8_t>(i == 0 ? 1 : i == 8 ? 2 : 0);
  pair.client.push();
  Bytes written(bytes.size() + 1);
  CHECK(read(pair.fabric, written.data(), written.size()) == static_cast<ssize_t>(bytes.size()));
  written.pop_back();
  CHECK(written == bytes);
}

// A fabric that does not read: room ends, later packets are lost, and what was taken comes out whole and in order.
void fullSocket() {
  Pair pair;
  constexpr size_t kSize = 4000;
  uint32_t taken = 0;
  bool hadRoom = true;
  for (uint32_t i = 0; i < 10000; ++i) {
    hadRoom = hadRoom && pair.client.hasRoom();
    uint8_t *packet = pair.client.addData(0, 1, kSize);
    if (packet == nullptr) break;
    memset(packet, 0, kSize);
    putBe32(packet, taken++);
    pair.client.push();
  }
  CHECK(!hadRoom && taken > 1000 && taken < 10000);
  Bytes all;
  while (all.size() < taken * (kSize + 20)) {
    Bytes chunk(1 << 16);
    ssize_t n = read(pair.fabric, chunk.data(), chunk.size());
    CHECK(n > 0);
    all.insert(all.end(), chunk.begin(), chunk.begin() + n);
    pair.client.writeReady(pair.recorder);
  }
  for (uint32_t i = 0; i < taken; ++i) CHECK(getBe32(all.data() + i * (kSize + 20) + 20) == i);
  CHECK(!pair.client.wantsToWrite() && pair.client.hasRoom());
}

// Who settles waits until the fabric has read its packets, and asks only if there are any.
void settling() {
  Pair pair;
  std::mutex mutex;
  Lock lock(mutex);
  pair.client.settle(lock);
  memset(pair.client.addData(0, 1, 20), 0, 20);
  bool hasRead = false;
  std::thread fabric([&] {
    Bytes bytes(40 + 12);
    CHECK(recv(pair.fabric, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size()));
    LeReader sync(ByteView(bytes).subspan(40));
    CHECK(sync.u32() == 8 && sync.u16() == attach::kSync && sync.u16() == 0);
    uint32_t tag = sync.u32();
    Lock own(mutex);
    hasRead = true;
    pair.feed(frame(attach::kSync | attach::kReplyBit, tag, LeWriter().u32(0).bytes()));
  });
  pair.client.settle(lock);
  CHECK(hasRead && !pair.client.wantsToWrite());
  pair.client.settle(lock);
  CHECK(!pair.client.wantsToWrite());
  lock.unlock();
  fabric.join();
  uint8_t more;
  CHECK(recv(pair.fabric, &more, 1, MSG_DONTWAIT) < 0);
}

void unansweredCall() {
  Pair pair;
  std::mutex mutex;
  Lock lock(mutex);
  auto start = std::chrono::steady_clock::now();
  CHECK(pair.client.call(lock, attach::kOpenPort, LeWriter().u64(0).bytes()) == EIO);
  auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(elapsed >= std::chrono::milliseconds(attach::kCallTimeoutMs) && elapsed < std::chrono::milliseconds(5 * attach::kCallTimeoutMs));
}

void lostConnection() {
  Pair pair;
  shutdown(pair.fabric, SHUT_RDWR);
  pair.client.readReady(pair.recorder);
  CHECK(pair.client.isLost() && pair.recorder.losses == 1);
  std::mutex mutex;
  Lock lock(mutex);
  CHECK(pair.client.call(lock, attach::kOpenPort, {}) == EIO);
  pair.client.send(attach::kPacket, {});
  CHECK(!pair.client.wantsToWrite());
}

}  // namespace

int main() {
  splitFrames();
  brokenFrames();
  randomBytes();
  dataFrames();
  fullSocket();
  settling();
  unansweredCall();
  lostConnection();
  return 0;
}
