#include "verbs-context.h"

#include <cerrno>
#include <cstring>

#include "hca/completion-channel.h"
#include "hca/data-path.h"
#include "hca/extended-operations.h"
#include "hca/hca.h"
#include "verbs-query.h"

namespace fabricsim {

VerbsContext *VerbsContext::create(Device &device) {
  auto *context = new VerbsContext(device);
  if (context->events_.fd() >= 0) return context;
  int error = errno;
  delete context;
  errno = error;
  return nullptr;
}

VerbsContext::VerbsContext(Device &device) : extended_{}, device_(device) {
  extended_.sz = sizeof extended_;
  extended_.query_port = queryPort;
  vb_ibv_context &context = extended_.context;
  context.device = device.verbs();
  context.cmd_fd = -1;
  context.async_fd = events_.fd();
  context.num_comp_vectors = HcaLimits::kVectors;
  context.abi_compat = VB_IBV_ABI_IS_EXTENDED;
  setDataPath(context.ops);
  setExtendedOperations(extended_);
  pthread_mutex_init(&context.mutex, nullptr);
}

VerbsContext::~VerbsContext() { pthread_mutex_destroy(&extended_.context.mutex); }

VerbsContext &VerbsContext::of(vb_ibv_context *handle) {
  return *reinterpret_cast<VerbsContext *>(reinterpret_cast<uint8_t *>(handle) - offsetof(vb_verbs_context, context));
}

void VerbsContext::close(Lock &lock) {
  ++users;  // so that it is there until this is done
  if (users > 1) device_.hca().abandon(lock, *this);
  isClosed_ = true;
  release();
}

void VerbsContext::release() {
  if (--users == 0 && isClosed_) delete this;
}

void VerbsContext::pushEvent(int type, int portNumber) { events_.push({type, portNumber, nullptr}); }

void VerbsContext::pushObjectEvent(int type, void *object) { events_.push({type, 0, object}); }

void VerbsContext::hangUp() {
  for (CompletionChannel *channel : channels_) channel->events.hangUp();
}

int VerbsContext::takeEvent(vb_ibv_context *handle, vb_ibv_async_event *event) {
  return of(handle).events_.take([event](const Event &taken) {
    memset(event, 0, sizeof *event);
    event->event_type = taken.type;
    if (taken.object != nullptr) {
      event->element.object = taken.object;
      countErrorTaken(taken.type, taken.object);
    } else {
      event->element.port_num = taken.port;
    }
  });
}

}  // namespace fabricsim
