// libibverbs: the device list, opening and closing, asynchronous events.
#include <endian.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "export.h"
#include "hca/data-path.h"
#include "process.h"
#include "verbs-context.h"

using namespace fabricsim;

// A NULL-terminated list, empty where FABRICSIM_DIR is not set; NULL with errno if the fabric refuses. The devices live on after
// ibv_free_device_list, which frees the list only.
FABRICSIM_EXPORT vb_ibv_device **ibv_get_device_list(int *count) {
  Process &process = Process::get();
  Lock lock = process.lock();
  if (count != nullptr) *count = 0;
  int error = process.attach();
  bool isUnset = error == ENODEV && !process.isOrphan() && process.directory().empty();
  if (error != 0 && !isUnset) {
    errno = error;
    return nullptr;
  }
  size_t length = error == 0 ? process.devices().size() : 0;
  auto **list = static_cast<vb_ibv_device **>(calloc(length + 1, sizeof(vb_ibv_device *)));
  if (list == nullptr) return nullptr;
  for (size_t i = 0; i < length; ++i) list[i] = process.devices()[i].verbs();
  if (count != nullptr) *count = static_cast<int>(length);
  errno = 0;
  return list;
}

FABRICSIM_EXPORT void ibv_free_device_list(vb_ibv_device **list) { free(list); }

FABRICSIM_EXPORT const char *ibv_get_device_name(vb_ibv_device *device) { return device->name; }

FABRICSIM_EXPORT int ibv_get_device_index(vb_ibv_device *device) { return static_cast<int>(Device::of(device).ordinal()); }

// Network order; 0 if the fabric is gone.
FABRICSIM_EXPORT uint64_t ibv_get_device_guid(vb_ibv_device *device) {
  HcaState state;
  return Device::of(device).read(state) ? htobe64(state.nodeGuid) : 0;
}

FABRICSIM_EXPORT vb_ibv_context *ibv_open_device(vb_ibv_device *device) {
  Process &process = Process::get();
  Lock lock = process.lock();
  int error = process.start();
  // A handle listed before its fabric went away; the list has new ones.
  if (error == 0 && Device::of(device).client().isLost()) error = EIO;
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  VerbsContext *context = VerbsContext::create(Device::of(device));
  if (context == nullptr) return nullptr;
  process.contexts().push_back(context);
  return context->handle();
}

// Never fails: what the program has not destroyed goes with the device, as the kernel sees to it for a real one. perftest relies on that.
FABRICSIM_EXPORT int ibv_close_device(vb_ibv_context *handle) {
  Process &process = Process::get();
  Lock lock = process.lock();
  VerbsContext *context = &VerbsContext::of(handle);
  std::erase(process.contexts(), context);
  context->close(lock);
  return 0;
}

FABRICSIM_EXPORT int ibv_get_async_event(vb_ibv_context *handle, vb_ibv_async_event *event) {
  return VerbsContext::takeEvent(handle, event);
}

FABRICSIM_EXPORT void ibv_ack_async_event(vb_ibv_async_event *event) { acknowledgeError(event->event_type, event->element.object); }
