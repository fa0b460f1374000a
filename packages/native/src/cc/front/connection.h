#pragma once

#include <cstdint>
#include <vector>

#include "front/request-frame.h"

namespace verbena::front {

// What a loop watches; its user data points to it.
struct Source {
  enum class Kind { kWake, kListener, kClient };
  explicit Source(Kind the_kind, int the_fd) : kind(the_kind), fd(the_fd) {}
  const Kind kind;
  int fd;
};

// Who is at the other end; `pid` and `uid` are -1 where there are none.
struct Peer {
  bool is_unix = false;
  int32_t pid = -1;
  int64_t uid = -1;
};

// One client. All but `fd` is guarded by the front end's lock.
struct Connection : Source {
  Connection(int the_fd, uint64_t the_id, const Peer& the_peer) : Source(Kind::kClient, the_fd), id(the_id), peer(the_peer) {}

  const uint64_t id;
  const Peer peer;
  // The loop's.
  uint32_t interest = 0;      // epoll's events
  bool is_polled = false;     // with those: in the ring's epoll set
  bool is_receiving = false;  // the ring has a receive under way
  bool is_changed = false;    // the owner wants it read, and only the thread can see to that
  bool is_released = false;   // to be deleted when the receive is over
  bool is_staged = false;     // an answer of this turn has not been handed to the system yet

  bool is_known = false;     // the owner has heard of it, and hears when it goes
  bool is_stalled = false;   // the system takes no more of its replies
  bool is_resuming = false;  // the thread is to look at its input before more is read
  bool is_blocked = false;   // the owner has enough to do; it goes on when that has been taken
  bool is_doomed = false;    // to be closed by the thread
  bool is_noted = false;     // among those whose state may have changed
  bool must_tell = false;    // the owner waits to hear its state, changed or not
  uint32_t messages = 0;     // whole ones so far: tells one incomplete message from the next
  std::vector<uint64_t> open;    // tids of requests that the owner has and has not answered
  std::vector<uint8_t> input;    // not handed on yet
  std::vector<uint8_t> output;   // not taken by the system yet
  size_t output_at = 0;

  // What the owner was told last.
  bool told_incomplete = false;
  bool told_stalled = false;
  uint32_t told_messages = 0;

  uint64_t hits = 0;  // not fetched yet
  uint64_t last_hit_ns = 0;

  size_t unsent() const { return output.size() - output_at; }
};

}  // namespace verbena::front
