#pragma once

#include <napi.h>

#include <memory>

#include "environment.h"
#include "fd-poller.h"
#include "js-callback.h"
#include "tcp-socket.h"

namespace verbena {

// A TCP connection on the loop: the `TcpStreamBinding` of src/binding.ts.
class TcpStream : public Napi::ObjectWrap<TcpStream>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // connectTcp(host, scope, port, remoteHost, remoteScope, remotePort)
  static Napi::Value Connect(const Napi::CallbackInfo& info);
  // Around a connection that was accepted.
  static Napi::Value Wrap(Napi::Env env, TcpSocket socket);

  explicit TcpStream(const Napi::CallbackInfo& info);
  ~TcpStream() override;
  void CloseNow() override;

 private:
  struct Seed {
    TcpSocket socket;
    bool is_connected;
  };

  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value WatchWritable(const Napi::CallbackInfo& info);
  Napi::Value LocalPort(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  Napi::Value Reset(const Napi::CallbackInfo& info);
  napi_value Read(napi_env env, napi_callback_info info);
  napi_value Write(napi_env env, napi_callback_info info);
  napi_value AckPosition(napi_env env, napi_callback_info info);

  void OnReady(int error, int events);
  void Watch();
  void Fail(Napi::Env env, int error, const char* syscall);

  TcpSocket socket_;
  bool is_connected_ = false;
  bool is_held_ = false;  // kept from the collector: from Start until it is closed
  int wanted_ = 0;
  JsCallback on_ready_;
  JsCallback on_failure_;
  std::unique_ptr<FdPoller> poller_;  // must go before the socket is closed
};

}  // namespace verbena
