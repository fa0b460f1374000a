#include "descriptor-watch.h"

#include <errno.h>

#include <utility>

#include "arguments.h"

namespace verbena {

Napi::Value DescriptorWatch::Start(Napi::Env env, int fd, Napi::Value on_failure, std::function<void(int error)> on_ready) {
  if (poller_ != nullptr) return Throw(SystemError(env, EALREADY, "start"));
  int error = 0;
  poller_ = FdPoller::Open(
      Environment::Of(env), fd, [call = std::move(on_ready)](int failure, int) { call(failure); }, &error);
  if (poller_ == nullptr || (error = poller_->Start()) != 0) {
    poller_.reset();
    return Throw(SystemError(env, error, "epoll_ctl"));
  }
  on_failure_ = JsCallback(on_failure.As<Napi::Function>());
  return env.Undefined();
}

Napi::Value DescriptorWatch::SetReading(const Napi::CallbackInfo& info) {
  if (!info[0].IsBoolean()) return ThrowArguments(info.Env(), "setReading(boolean)");
  SetReading(info[0].As<Napi::Boolean>().Value());
  return info.Env().Undefined();
}

void DescriptorWatch::SetReading(bool is_reading) {
  if (poller_ == nullptr) return;
  if (is_reading) {
    poller_->Start();
  } else {
    poller_->Stop();
  }
}

void DescriptorWatch::Resume() {
  if (poller_ != nullptr) poller_->Start();
}

void DescriptorWatch::Fail(Napi::Env env, int error, const char* syscall) {
  poller_.reset();
  Napi::HandleScope scope(env);
  on_failure_.Call(env, {SystemError(env, error, syscall).Value()});
}

void DescriptorWatch::Reset() {
  on_failure_.Reset();
  poller_.reset();
}

}  // namespace verbena
