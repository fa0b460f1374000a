#pragma once

#include <napi.h>

#include <functional>
#include <memory>

#include "environment.h"
#include "fd-poller.h"
#include "js-callback.h"

namespace verbena {

// The reading side of an object that JavaScript reads a descriptor through: begins, pauses, and reports that it is over.
class DescriptorWatch {
 public:
  // `undefined`, or an exception pending (EALREADY for a second start). `on_failure` is what Fail calls.
  Napi::Value Start(Napi::Env env, int fd, Napi::Value on_failure, std::function<void(int error)> on_ready);
  // setReading(boolean); nothing happens before Start and after the end.
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  void SetReading(bool is_reading);
  // Watches again after libuv has reported an error, which ends its own watching.
  void Resume();
  // Ends the watching and tells JavaScript why.
  void Fail(Napi::Env env, int error, const char* syscall);
  // Ends the watching. MUST come before the descriptor is closed.
  void Reset();

 private:
  JsCallback on_failure_;
  std::unique_ptr<FdPoller> poller_;
};

}  // namespace verbena
