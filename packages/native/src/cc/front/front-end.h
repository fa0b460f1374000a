#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "front/connection.h"
#include "front/loop.h"
#include "front/reply-table.h"

namespace verbena::front {

// The kinds of events; their words a and b are explained there.
enum class EventKind : uint32_t {
  kOpened = 1,   // a client's first request follows. a: 1 = Unix; b: pid; then 8 bytes: uid (-1 = none), signed
  kRequest = 2,  // the message follows
  kState = 3,    // a: 1 = a message is incomplete, 2 = stalled; b: number of that message; then 8 bytes: bytes held
  kGone = 4,     // a: why, see Reason
  kRefused = 5,  // connections not taken; a: 1 = too many clients, 2 = no descriptor left; b: how many
  kFailed = 6,   // a listening socket fails, and is left alone for a while; a: errno, the last of several
  kEmpty = 7,    // after Finish: the last client has gone
  kHits = 8,     // hits of many clients that have gone wait to be fetched
};

enum class Reason : uint32_t { kLeft = 0, kVersion = 1, kOpcode = 2, kLength = 3, kDoesNotRead = 4, kClosed = 5 };

// How bytes come and go. kAuto: a ring where the system allows one.
enum class Io { kAuto, kRing, kEpoll };

// What was asked for last by a call that failed.
struct Failure {
  int error = 0;  // a positive errno; 0 = nothing has
  const char* syscall = "";
};

struct Limits {
  uint32_t max_clients = 0;
  uint32_t max_open_requests = 0;
  size_t max_unsent_bytes = 0;
  size_t table_bytes = 0;
};

// Requests answered from the table since they were last fetched.
struct Hits {
  struct Client {
    Peer peer;
    uint64_t count = 0;
    uint64_t last_ns = 0;
  };
  std::vector<uint64_t> by_account;
  std::vector<Client> by_client;
};

// A server of the client protocol on a thread of its own. It frames what clients send, answers what the table holds, and hands everything
// else to its owner, who replies when it can. Replies to requests of equal tid on one connection keep the order of the requests.
//
// All public methods are the owner's, of one thread at a time. One lock guards everything; the thread holds it from the look
// into the table until the reply is with the system, so that Invalidate, once it has returned, is never followed by an older answer.
class FrontEnd : private LoopHandler {
 public:
  // Called on either thread, with the lock held: it MUST only make somebody call TakeEvents soon.
  using Wake = std::function<void()>;

  FrontEnd(const Limits& limits, Wake wake);
  ~FrontEnd();
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  // 0 or a positive errno; starts the thread. To be called once, first.
  int Start(Io io, const char** syscall);
  // What Start has chosen, and with kAuto, why not a ring.
  Io io() const { return io_; }
  const Failure& ring_failure() const { return ring_failure_; }
  // Takes the listening socket over. 0 or a positive errno; then it is closed.
  int AddListener(int fd);
  void CloseListeners();
  // Takes no more requests; each client is closed when what it has asked is answered. kEmpty tells when all are.
  void Finish();
  // Ends the thread and closes everything. Idempotent.
  void Stop();

  // Events since the last call: records of six words (kind, bytes behind the words, id low, id high, a, b) in host order, what follows
  // padded to 4 bytes.
  std::vector<uint8_t> TakeEvents();
  // One reply to a request of this tid; a client that has gone is no error. True if the client does not read: a kState follows, then or
  // when it reads again.
  bool Reply(uint64_t id, uint64_t tid, const uint8_t* bytes, size_t size);
  void Close(uint64_t id);

  // See ReplyTable. `ttl_ns` from now.
  void Put(const uint8_t* request, size_t request_size, const uint8_t* reply, size_t reply_size, uint64_t ttl_ns, uint32_t account,
           const uint32_t* tags, size_t tag_count);
  void Invalidate(const uint32_t* tags, size_t count);
  void ClearTable();
  Hits TakeHits();

  uint32_t client_count() const { return client_count_; }
  size_t table_bytes();

 private:
  enum class Fate { kDone, kLater };

  // The thread.
  Failure OpenLoop(Io io);
  std::unique_lock<std::mutex> LockAsThread() override;
  void BeginTurn() override;

  // With the lock held.
  void OnInput(Connection& client, const uint8_t* bytes, ssize_t got, bool has_hung_up) override;
  void OnWritable(Connection& client) override;
  void OnUnsent(Connection& client, const Answer& answer, ssize_t sent) override;
  void OnListener(Source& listener, bool has_failed) override;
  void OnWake() override;
  bool EndTurn(int* wait_ms) override;
  void AcceptWaiting(Source& listener, int most);
  void Pause(Source& listener, int error);
  int WaitMs();
  void Reap();
  void AddClient(int fd, bool is_unix);
  bool RefuseForDescriptors(int listener);
  bool MayRead(const Connection& client) const;
  void Take(Connection& client, const uint8_t* bytes, size_t size);
  size_t Consume(Connection& client, const uint8_t* bytes, size_t size);
  Fate Handle(Connection& client, const uint8_t* message, size_t size, bool is_last);
  Fate GiveAnswer(Connection& client, const Answer& answer, bool is_last);
  void CountHit(Connection& client, uint32_t account);
  void Flush(Connection& client);
  void Settle(Connection& client);
  void Note(Connection& client);
  void Introduce(Connection& client);
  void Doom(Connection& client, Reason reason);
  bool IsIncomplete(const Connection& client) const;
  Connection* Find(uint64_t id);
  void AddEvent(EventKind kind, uint64_t id, uint32_t a, uint32_t b, const void* bytes, size_t size);
  void WakeOwner();
  void WakeThread();
  std::unique_lock<std::mutex> LockAsOwner();

  const Limits limits_;
  const Wake wake_;
  std::mutex mutex_;
  std::mutex next_;  // held by the owner while it waits for the other
  std::atomic<bool> is_owner_waiting_{false};
  ReplyTable table_;
  std::unordered_map<uint64_t, Connection*> clients_;
  std::vector<Connection*> doomed_;
  std::vector<uint64_t> blocked_;
  std::vector<uint64_t> resumed_;
  std::vector<uint64_t> noted_;
  std::vector<std::unique_ptr<Source>> listeners_;
  std::vector<uint8_t> events_;
  std::vector<uint64_t> account_hits_;
  std::vector<Hits::Client> left_hits_;  // of clients that have gone
  std::vector<uint64_t> dirty_;          // clients with hits
  uint64_t next_id_ = 1;
  uint32_t refused_full_ = 0;
  uint32_t refused_descriptor_ = 0;
  int failed_errno_ = 0;        // of a listening socket, not told yet
  uint64_t resume_at_ns_ = 0;   // when listening sockets that failed are tried again; 0 = none has
  bool is_owner_woken_ = false;
  bool is_finishing_ = false;
  bool is_stopping_ = false;
  std::atomic<uint32_t> client_count_{0};

  std::unique_ptr<Loop> loop_;
  Io io_ = Io::kAuto;
  Failure ring_failure_;
  int reserve_ = -1;  // given up for a moment to refuse a connection when no descriptor is left
  uint64_t now_ns_ = 0;  // the thread's: when its turn began
  std::thread thread_;
};

uint64_t MonotonicNs();

}  // namespace verbena::front
