#include "verbs-context.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <type_traits>

namespace fabricsim {

namespace {
struct EventMessage {
  int type;
  int portNumber;
};
}  // namespace

VerbsContext *VerbsContext::create(Device &device) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  return new VerbsContext(device, ends[0], ends[1]);
}

VerbsContext::VerbsContext(Device &device, int readFd, int writeFd) : extended_{}, device_(device), eventFd_(writeFd) {
  extended_.sz = sizeof extended_;
  extended_.query_port = queryPort;
  vb_ibv_context &context = extended_.context;
  context.device = device.verbs();
  context.cmd_fd = -1;
  context.async_fd = readFd;
  context.num_comp_vectors = 1;
  context.abi_compat = VB_IBV_ABI_IS_EXTENDED;
  pthread_mutex_init(&context.mutex, nullptr);
}

VerbsContext::~VerbsContext() {
  close(extended_.context.async_fd);
  close(eventFd_);
  pthread_mutex_destroy(&extended_.context.mutex);
}

VerbsContext &VerbsContext::of(vb_ibv_context *handle) {
  return *reinterpret_cast<VerbsContext *>(reinterpret_cast<uint8_t *>(handle) - offsetof(vb_verbs_context, context));
}

void VerbsContext::pushEvent(int type, int portNumber) {
  EventMessage message = {type, portNumber};
  if (send(eventFd_, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;  // nobody reads: nobody misses it
}

int VerbsContext::takeEvent(vb_ibv_context *handle, vb_ibv_async_event *event) {
  EventMessage message = {};
  ssize_t n = recv(handle->async_fd, &message, sizeof message, 0);
  if (n != sizeof message) {
    if (n >= 0) errno = EIO;
    return -1;
  }
  memset(event, 0, sizeof *event);
  event->event_type = message.type;
  event->element.port_num = message.portNumber;
  return 0;
}

}  // namespace fabricsim
