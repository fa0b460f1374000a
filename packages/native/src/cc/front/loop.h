#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "front/connection.h"
#include "front/request-frame.h"

namespace verbena::front {

// A request that the table has an answer to, on the way to the system.
struct Answer {
  const uint8_t* request = nullptr;
  size_t request_size = 0;
  const uint8_t* reply = nullptr;
  size_t reply_size = 0;
  uint32_t account = 0;
};

// What a loop tells, on its thread. With the lock held, but the first (and BeginTurn, if the loop likes).
class LoopHandler {
 public:
  virtual std::unique_lock<std::mutex> LockAsThread() = 0;
  // Before what has happened at one time is told.
  virtual void BeginTurn() = 0;
  // The client has sent bytes (`got` above 0), or nothing more will come (0), or recv has failed (a negative errno). -EAGAIN: there is nothing
  // now, and unless `has_hung_up` there may be more.
  virtual void OnInput(Connection& client, const uint8_t* bytes, ssize_t got, bool has_hung_up) = 0;
  virtual void OnWritable(Connection& client) = 0;
  // What Submit took has not gone out whole: so many bytes of it have, or a negative errno.
  virtual void OnUnsent(Connection& client, const Answer& answer, ssize_t sent) = 0;
  virtual void OnListener(Source& listener, bool has_failed) = 0;
  virtual void OnWake() = 0;
  // False: the thread is to end. `*wait_ms`: how long nothing needs to be done if nothing happens; -1 = for ever.
  virtual bool EndTurn(int* wait_ms) = 0;

 protected:
  ~LoopHandler() = default;
};

// How bytes come and go: a front end knows the protocol, a loop the system's ways to wait. All methods but Open and Run are called with the
// handler's lock held, by the owner or on the thread.
class Loop {
 public:
  virtual ~Loop() = default;

  // 0 or a positive errno. On the thread that will run it.
  virtual int Open(const char** syscall) = 0;
  // Until EndTurn says so. All clients MUST have been released by then; nobody is told anything any more.
  virtual void Run() = 0;

  // Listening sockets. 0 or a positive errno; nothing happens to one that is watched already.
  virtual int Watch(Source& listener) = 0;
  virtual void Unwatch(Source& listener) = 0;

  // A new client, which is to be read. 0 or a positive errno.
  virtual int Add(Connection& client) = 0;
  // What of it is to be told from now on. Nothing of what has been read already is lost; a client of which nothing is wanted may have one
  // more piece read.
  virtual void Want(Connection& client, bool input, bool output) = 0;
  // Closes and deletes it, at once or as soon as the system is done with it. On the thread, or when that has ended.
  virtual void Release(Connection& client) = 0;

  // Takes an answer that goes out before the lock is given back and before more of this client is told, unless OnUnsent says that it does
  // not. False: send it yourself. On the thread, and only with the last of what has been read of this client.
  virtual bool Submit(Connection& client, const Answer& answer) = 0;

  // Makes the thread call OnWake.
  virtual void Wake() = 0;
};

}  // namespace verbena::front
