// An opened device. The handle that programs hold is the tail of a vb_verbs_context, as rdma-core lays it out; operations that the
// simulator does not offer are NULL there.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "device.h"
#include "hca/event-queue.h"
#include "process.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

struct CompletionChannel;

class VerbsContext {
  vb_verbs_context extended_;  // first member: of() relies on it

 public:
  // NULL and errno if descriptors are short.
  static VerbsContext *create(Device &device);
  ~VerbsContext();
  VerbsContext(const VerbsContext &) = delete;
  VerbsContext &operator=(const VerbsContext &) = delete;

  static VerbsContext &of(vb_ibv_context *handle);
  vb_ibv_context *handle() { return &extended_.context; }
  const vb_ibv_context *handle() const { return &extended_.context; }
  Device &device() { return device_; }

  // Queue an asynchronous event; the process lock is held.
  void pushEvent(int type, int portNumber);
  void pushObjectEvent(int type, void *object);
  // Takes what is left of a handle that goes away out of the queue.
  void forgetEvents(const void *object) { events_.forget(object); }
  // Takes the next event from `handle`, waiting unless the program made async_fd non-blocking. 0, or -1 with errno.
  static int takeEvent(vb_ibv_context *handle, vb_ibv_async_event *event);

  // A completion channel was made through it, or is about to go.
  void addChannel(CompletionChannel &channel) { channels_.insert(&channel); }
  void removeChannel(CompletionChannel &channel) { channels_.erase(&channel); }
  // The device has gone: nothing comes through its channels any more. Process lock held.
  void hangUp();

  // The program's handle is gone. What was made through it and is left keeps its handles, which can be destroyed, and no more: the device
  // has forgotten it. Process lock held; it is released meanwhile.
  void close(Lock &lock);
  // One of `users` is gone.
  void release();

  uint32_t users = 0;             // protection domains, completion channels and queues, device memory
  uint64_t deviceMemoryUsed = 0;  // bytes

 private:
  explicit VerbsContext(Device &device);

  Device &device_;
  EventQueue events_;
  std::unordered_set<CompletionChannel *> channels_;
  bool isClosed_ = false;
};

// Port attributes in verbs' form; `length` bytes of them are written. 0 or an errno value.
int queryPort(vb_ibv_context *context, uint8_t portNumber, vb_ibv_port_attr *attributes, size_t length);

}  // namespace fabricsim
