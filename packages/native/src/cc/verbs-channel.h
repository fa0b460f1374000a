#pragma once

#include <napi.h>

#include <vector>

#include "descriptor-watch.h"
#include "js-callback.h"
#include "rdma/objects.h"
#include "verbs-object.h"

namespace verbena {

// A completion event channel: the `CompletionChannelBinding` of src/binding.ts. Other threads may have objects of the same channel.
class VerbsChannel : public VerbsObject<VerbsChannel, CompletionChannel> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_channel; }
  static Napi::Function Define(Napi::Env env);
  // adoptChannel(token): a channel that another thread shares, or undefined if it is closed.
  static Napi::Value Adopt(const Napi::CallbackInfo& info);
  using VerbsObject::VerbsObject;
  ~VerbsChannel() override { Leave(); }

 protected:
  void Quiesce() override;

 private:
  // One turn of the loop takes at most so many events.
  static constexpr int kMaxEvents = 64;

  Napi::Value Descriptor(const Napi::CallbackInfo& info);
  Napi::Value TryRead(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value Share(const Napi::CallbackInfo& info);
  Napi::Value Queue(const Napi::CallbackInfo& info);
  // Reads up to `max` events into a list of queue numbers; the errno of a failure, or 0.
  int Read(int max, std::vector<napi_value>* queues);
  void OnReady(int error);

  JsCallback on_events_;
  DescriptorWatch watch_;  // must go before the channel is closed
};

}  // namespace verbena
