#pragma once

#include <napi.h>

#include <memory>

#include "environment.h"
#include "front/front-end.h"
#include "js-callback.h"
#include "loop-waker.h"

namespace verbena {

// The front end of the client protocol's server: the `FrontEndBinding` of src/binding.ts.
class FrontEndBinding : public Napi::ObjectWrap<FrontEndBinding>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // openFrontEnd(limits, onEvents)
  static Napi::Value Open(const Napi::CallbackInfo& info);

  explicit FrontEndBinding(const Napi::CallbackInfo& info);
  ~FrontEndBinding() override;
  void CloseNow() override;

 private:
  Napi::Value ListenPath(const Napi::CallbackInfo& info);
  Napi::Value ListenTcp(const Napi::CallbackInfo& info);
  Napi::Value ListenDescriptor(const Napi::CallbackInfo& info);
  Napi::Value CloseListeners(const Napi::CallbackInfo& info);
  Napi::Value Finish(const Napi::CallbackInfo& info);
  Napi::Value Reply(const Napi::CallbackInfo& info);
  Napi::Value CloseClient(const Napi::CallbackInfo& info);
  Napi::Value Put(const Napi::CallbackInfo& info);
  Napi::Value Invalidate(const Napi::CallbackInfo& info);
  Napi::Value ClearTable(const Napi::CallbackInfo& info);
  Napi::Value TakeHits(const Napi::CallbackInfo& info);
  Napi::Value ClientCount(const Napi::CallbackInfo& info);
  Napi::Value Io(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  Napi::Value Listen(Napi::Env env, int fd);
  void OnWake();

  JsCallback on_events_;
  std::unique_ptr<LoopWaker> waker_;
  std::unique_ptr<front::FrontEnd> front_;  // NULL once closed; must go before the waker, which its thread uses
};

}  // namespace verbena
