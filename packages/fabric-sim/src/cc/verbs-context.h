// An opened device. The handle that programs hold is the tail of a vb_verbs_context, as rdma-core lays it out; operations that the
// simulator does not offer are NULL there.
#pragma once

#include <cstdint>

#include "device.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class VerbsContext {
 public:
  // NULL and errno if descriptors are short.
  static VerbsContext *create(Device &device);
  ~VerbsContext();
  VerbsContext(const VerbsContext &) = delete;
  VerbsContext &operator=(const VerbsContext &) = delete;

  static VerbsContext &of(vb_ibv_context *handle);
  vb_ibv_context *handle() { return &extended_.context; }
  Device &device() { return device_; }

  // Queues an asynchronous event; the process lock is held. Events beyond what a socket buffer holds are lost.
  void pushEvent(int type, int portNumber);
  // Takes the next event from `handle`, waiting unless the program made async_fd non-blocking. 0, or -1 with errno.
  static int takeEvent(vb_ibv_context *handle, vb_ibv_async_event *event);

 private:
  VerbsContext(Device &device, int readFd, int writeFd);

  vb_verbs_context extended_;  // first member: of() relies on it
  Device &device_;
  int eventFd_;                // our end; the program's is extended_.context.async_fd
};

// Port attributes in verbs' form; `length` bytes of them are written. 0 or an errno value.
int queryPort(vb_ibv_context *context, uint8_t portNumber, vb_ibv_port_attr *attributes, size_t length);

}  // namespace fabricsim
