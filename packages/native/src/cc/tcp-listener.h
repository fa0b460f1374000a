#pragma once

#include <napi.h>

#include "descriptor-watch.h"
#include "environment.h"
#include "js-callback.h"
#include "tcp-socket.h"

namespace verbena {

// A listening TCP socket on the loop: the `TcpListenerBinding` of src/binding.ts.
class TcpListener : public Napi::ObjectWrap<TcpListener>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // listenTcp(host, scope, port, backlog)
  static Napi::Value Listen(const Napi::CallbackInfo& info);

  explicit TcpListener(const Napi::CallbackInfo& info);
  ~TcpListener() override;
  void CloseNow() override;

 private:
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value LocalPort(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void OnReady(int error);
  // One connection; false if there is none, or no more may be taken in this turn.
  bool AcceptOne(Napi::Env env);

  TcpSocket socket_;
  bool is_held_ = false;
  JsCallback on_accept_;
  JsCallback on_trouble_;
  DescriptorWatch watch_;  // must go before the socket is closed
};

}  // namespace verbena
