// The connection of this process to the fabric. Nothing here blocks but attach(), and call(), which waits for its answer at most
// kCallTimeoutMs. Every method is called with the process lock held.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attach-protocol.h"
#include "bytes.h"

namespace fabricsim {

using Lock = std::unique_lock<std::mutex>;

// Who hears of messages that nobody asked for.
class AttachEvents {
 public:
  virtual void onPacket(uint32_t agentId, ByteView packet) = 0;
  // A packet for queue pairs behind a port of an HCA; a view that ends with the call.
  virtual void onData(uint32_t hcaIndex, uint8_t port, ByteView packet) = 0;
  // Everything that came together has been told.
  virtual void onBatchEnd() = 0;
  virtual void onAsyncEvent(uint32_t hcaIndex, uint8_t event, uint8_t port) = 0;
  // The fabric is gone or broke the protocol; called once.
  virtual void onLost() = 0;

 protected:
  ~AttachEvents() = default;
};

class AttachClient {
 public:
  struct Hca {
    uint32_t index;
    std::string pageFile;  // name inside the fabric's directory
  };

  // Connects to DIR/fabric.sock and says HELLO. On failure NULL, an errno value and a sentence for people.
  static std::unique_ptr<AttachClient> attach(const std::string &directory, const std::string &nodes, int &error,
                                              std::string &problem);
  // Takes over a connected stream socket whose HELLO is done. For attach() and for tests.
  explicit AttachClient(int fd);
  ~AttachClient();
  AttachClient(const AttachClient &) = delete;
  AttachClient &operator=(const AttachClient &) = delete;

  // Closes this process' copy of the socket and no other: for a forked child.
  void abandon();

  const std::vector<Hca> &hcas() const { return hcas_; }
  // -1 once it is lost.
  int fd() const { return fd_; }
  bool isLost() const { return lost_; }
  bool wantsToWrite() const { return outbox_.size() > written_; }
  // False while so many bytes wait that the packets of queue pairs should not be made yet.
  bool hasRoom() const { return outbox_.size() - written_ < kRoom; }

  // Sends a message that has no answer; it is dropped if the connection is lost or the fabric takes nothing for too long.
  void send(attach::Type type, const Bytes &body);
  // Makes room for a packet from a port of an HCA, which the caller writes there before it calls anything else here, and push() later.
  // NULL: it is lost.
  uint8_t *addData(uint32_t hcaIndex, uint8_t port, size_t size);
  // Returns when the fabric has read all packets that were added, or is lost, or does not answer. The lock is released meanwhile.
  void settle(Lock &lock);
  // Writes what the socket takes now.
  void push() {
    if (wantsToWrite()) flush();
  }
  // Sends a request and waits, with the lock released, for the answer. 0, or the errno value of the answer, or EIO.
  int call(Lock &lock, attach::Type type, const Bytes &body, Bytes *answer = nullptr);

  // The first of `count` numbers in a row that are nobody else's on that HCA until this process ends; 0 if there are none.
  uint32_t reserve(Lock &lock, uint32_t hcaIndex, attach::Number what, uint32_t count);

  // For the progress thread: the socket is readable or writable.
  void readReady(AttachEvents &events);
  void writeReady(AttachEvents &events);

 private:
  static constexpr size_t kRoom = 256u << 10;

  struct Call {
    bool done = false;
    int error = 0;
    Bytes answer;
  };

  int hello(const std::string &nodes, std::string &problem);
  void queueFrame(uint16_t type, uint32_t tag, const Bytes &body);
  bool flush();
  bool takeFrames(AttachEvents &events);
  bool takeFrame(uint16_t type, uint32_t tag, ByteView body, AttachEvents &events);
  void lose(AttachEvents &events);

  int fd_;
  bool lost_ = false;
  bool isSettled_ = true;  // no packet was added since the fabric has read the last
  uint32_t lastTag_ = 0;
  std::vector<Hca> hcas_;
  std::unique_ptr<uint8_t[]> chunk_;
  Bytes inbox_;
  Bytes outbox_;
  size_t written_ = 0;  // of the outbox, from its beginning
  std::map<uint32_t, Call *> calls_;
  std::condition_variable answered_;
};

}  // namespace fabricsim
