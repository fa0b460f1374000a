#include "channel-group.h"

#include <errno.h>
#include <unistd.h>

#include <utility>

#include "arguments.h"

namespace verbena {

Napi::Function ChannelGroup::Define(Napi::Env env) {
  return DefineClass(env, "ChannelGroupBinding",
                     {InstanceMethod("add", &ChannelGroup::Add), InstanceMethod("remove", &ChannelGroup::Remove),
                      InstanceMethod("poll", &ChannelGroup::Poll), InstanceMethod("start", &ChannelGroup::Start),
                      InstanceMethod("setReading", &ChannelGroup::SetReading), InstanceMethod("close", &ChannelGroup::Close)});
}

Napi::Value ChannelGroup::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) return Throw(SystemError(env, errno, "epoll_create1"));
  const Napi::Value opened = Environment::Of(env).New(Environment::Of(env).channel_group, &fd);
  // Not taken over: the environment is being terminated.
  if (fd >= 0) close(fd);
  return opened;
}

ChannelGroup::ChannelGroup(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<int>(info.Env());
  if (seed == nullptr) return;
  fd_ = std::exchange(*seed, -1);
  Environment::Of(info.Env()).Add(this);
}

ChannelGroup::~ChannelGroup() {
  if (fd_ >= 0) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void ChannelGroup::CloseNow() {
  if (fd_ < 0) return;
  on_ready_.Reset();
  watch_.Reset();
  close(std::exchange(fd_, -1));
}

// add(fd, key)
Napi::Value ChannelGroup::Add(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (fd_ < 0) return ThrowClosed(env);
  int fd = 0, key = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &fd) || !ReadInt(info, 1, 0, INT32_MAX, &key)) return ThrowArguments(env, "add(fd, key)");
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(key);
  if (epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) != 0) return Throw(SystemError(env, errno, "epoll_ctl"));
  events_.emplace_back();
  return env.Undefined();
}

// remove(fd): also of one that is closed already, which has left by itself.
Napi::Value ChannelGroup::Remove(const Napi::CallbackInfo& info) {
  int fd = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &fd)) return ThrowArguments(info.Env(), "remove(fd)");
  if (fd_ >= 0) epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr);
  if (!events_.empty()) events_.pop_back();
  return info.Env().Undefined();
}

// poll(): what is ready now, flat: key, epoll's events, key, …
Napi::Value ChannelGroup::Poll(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (fd_ < 0) return ThrowClosed(env);
  Napi::Array ready = Napi::Array::New(env);
  if (events_.empty()) return ready;
  const int count = epoll_wait(fd_, events_.data(), static_cast<int>(events_.size()), 0);
  if (count < 0 && errno != EINTR) return Throw(SystemError(env, errno, "epoll_wait"));
  for (int i = 0; i < count; i++) {
    const epoll_event& event = events_[static_cast<size_t>(i)];
    ready.Set(static_cast<uint32_t>(2 * i), static_cast<double>(event.data.u64));
    ready.Set(static_cast<uint32_t>(2 * i + 1), uint32_t{event.events});
  }
  return ready;
}

Napi::Value ChannelGroup::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (fd_ < 0) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onReady, onFailure)");
  watch_.Start(env, fd_, info[1], [this](int failure) { OnReady(failure); });
  if (!env.IsExceptionPending()) on_ready_ = JsCallback(info[0].As<Napi::Function>());
  return env.Undefined();
}

Napi::Value ChannelGroup::SetReading(const Napi::CallbackInfo& info) { return watch_.SetReading(info); }

void ChannelGroup::OnReady(int error) {
  if (fd_ < 0) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  if (error != 0) return watch_.Fail(env, error, "poll");
  Ref();
  on_ready_.Call(env, {});
  Unref();
}

Napi::Value ChannelGroup::Close(const Napi::CallbackInfo& info) {
  if (fd_ >= 0) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  return info.Env().Undefined();
}

}  // namespace verbena
