#pragma once

#include <napi.h>

#include <memory>

#include "descriptor-watch.h"
#include "environment.h"
#include "js-callback.h"
#include "rds/socket.h"

namespace verbena {

// An AF_RDS socket on the loop: the `RdsSocketBinding` of src/binding.ts.
class RdsBinding : public Napi::ObjectWrap<RdsBinding>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // openRds()
  static Napi::Value Open(const Napi::CallbackInfo& info);
  // duplicateRds(fd)
  static Napi::Value Duplicate(const Napi::CallbackInfo& info);

  explicit RdsBinding(const Napi::CallbackInfo& info);
  ~RdsBinding() override;
  void CloseNow() override;

 private:
  napi_value Send(napi_env env, napi_callback_info info);
  napi_value Receive(napi_env env, napi_callback_info info);
  Napi::Value Bind(const Napi::CallbackInfo& info);
  Napi::Value Connect(const Napi::CallbackInfo& info);
  Napi::Value Name(const Napi::CallbackInfo& info);
  Napi::Value SetOption(const Napi::CallbackInfo& info);
  Napi::Value GetOption(const Napi::CallbackInfo& info);
  Napi::Value Info(const Napi::CallbackInfo& info);
  Napi::Value TypeOfService(const Napi::CallbackInfo& info);
  Napi::Value SetControlSize(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value Poll(const Napi::CallbackInfo& info);
  Napi::Value Watch(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void OnReady(int error);

  std::unique_ptr<RdsSocket> socket_;  // NULL once closed
  uint32_t interest_ = 0;              // EPOLLIN and EPOLLOUT that JavaScript wants to hear of
  JsCallback on_ready_;
  DescriptorWatch watch_;  // must go before the socket is closed
};

}  // namespace verbena
