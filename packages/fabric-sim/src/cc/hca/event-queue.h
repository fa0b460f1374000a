// A queue of events behind a descriptor that programs poll and block on: completion channels and asynchronous events. The descriptor is
// the reading end of a pipe, so that it honours O_NONBLOCK as the program sets it and tells when the device has gone; what the events are
// is kept here.
#pragma once

#include <deque>
#include <functional>

namespace fabricsim {

struct Event {
  int type = 0;            // VB_IBV_EVENT_…; 0 on a completion channel
  int port = 0;            // events of a port
  void *object = nullptr;  // the handle it is about, as programs know it
};

class EventQueue {
 public:
  // Check fd() afterwards: -1 and errno if descriptors are short.
  EventQueue();
  ~EventQueue();
  EventQueue(const EventQueue &) = delete;
  EventQueue &operator=(const EventQueue &) = delete;

  int fd() const { return readEnd_; }

  // Process lock held.
  void push(const Event &event);
  // Takes what nobody has read yet of `object` out again. Process lock held.
  void forget(const void *object);
  // Nothing can come any more: the descriptor reports POLLHUP from now on, and readers get what is left, then EIO. Process lock held.
  void hangUp();

  // Waits for an event unless the descriptor is non-blocking; takes the process lock itself, and calls `taken` with it held. 0, or -1 with
  // errno.
  int take(const std::function<void(const Event &)> &taken);

 private:
  void signal();

  int readEnd_ = -1;
  int writeEnd_ = -1;  // -1 after hangUp()
  // The one byte that says that there are events is in the pipe, or in the hands of a reader that will see to it.
  bool isSignalled_ = false;
  std::deque<Event> events_;
};

}  // namespace fabricsim
