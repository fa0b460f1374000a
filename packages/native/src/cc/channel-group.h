#pragma once

#include <napi.h>
#include <sys/epoll.h>

#include <vector>

#include "descriptor-watch.h"
#include "environment.h"
#include "js-callback.h"

namespace verbena {

// One epoll set over the descriptors of several channels: the `ChannelGroupBinding` of src/binding.ts.
class ChannelGroup : public Napi::ObjectWrap<ChannelGroup>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // openChannelGroup()
  static Napi::Value Open(const Napi::CallbackInfo& info);

  explicit ChannelGroup(const Napi::CallbackInfo& info);
  ~ChannelGroup() override;
  void CloseNow() override;

 private:
  Napi::Value Add(const Napi::CallbackInfo& info);
  Napi::Value Remove(const Napi::CallbackInfo& info);
  Napi::Value Poll(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  void OnReady(int error);

  int fd_ = -1;
  // Room for every member: a channel that did not fit in would wait for the next look, however urgent it is.
  std::vector<epoll_event> events_;
  JsCallback on_ready_;
  DescriptorWatch watch_;  // must go before the descriptor is closed
};

}  // namespace verbena
