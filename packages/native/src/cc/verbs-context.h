#pragma once

#include <napi.h>

#include <memory>

#include "environment.h"
#include "descriptor-watch.h"
#include "js-callback.h"
#include "rdma/objects.h"

namespace verbena {

// An open verbs device: the `VerbsContextBinding` of src/binding.ts.
class VerbsContext : public Napi::ObjectWrap<VerbsContext>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // `context` belongs to the new object.
  static Napi::Value Create(Napi::Env env, const std::shared_ptr<VerbsLibrary>& library, vb_ibv_context* context);

  explicit VerbsContext(const Napi::CallbackInfo& info);
  ~VerbsContext() override;
  void CloseNow() override;

 private:
  // One turn of the loop takes at most so many events.
  static constexpr int kMaxEvents = 64;

  Napi::Value Limits(const Napi::CallbackInfo& info);
  Napi::Value CreateDomain(const Napi::CallbackInfo& info);
  Napi::Value CreateChannel(const Napi::CallbackInfo& info);
  Napi::Value CreateQueue(const Napi::CallbackInfo& info);
  Napi::Value QueryDevice(const Napi::CallbackInfo& info);
  Napi::Value QueryPort(const Napi::CallbackInfo& info);
  Napi::Value Gids(const Napi::CallbackInfo& info);
  Napi::Value Pkeys(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void OnReady(int error);
  // False with an exception pending: closed, or a library without queues.
  bool CanCreate(Napi::Env env);

  std::shared_ptr<Device> device_;  // shared with all that was made of it
  JsCallback on_events_;
  DescriptorWatch watch_;  // must go before the device is closed
};

}  // namespace verbena
