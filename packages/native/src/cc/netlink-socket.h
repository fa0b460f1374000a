#pragma once

#include <napi.h>

#include <memory>

#include "descriptor-watch.h"
#include "environment.h"
#include "js-callback.h"
#include "netlink-reader.h"

namespace verbena {

// A netlink socket on the loop: the `NetlinkSocketBinding` of src/binding.ts.
class NetlinkSocket : public Napi::ObjectWrap<NetlinkSocket>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // openNetlink(protocol, groups)
  static Napi::Value Open(const Napi::CallbackInfo& info);
  // adoptNetlink(fd): the descriptor belongs to the new object.
  static Napi::Value Adopt(const Napi::CallbackInfo& info);

  explicit NetlinkSocket(const Napi::CallbackInfo& info);
  ~NetlinkSocket() override;
  void CloseNow() override;

 private:
  Napi::Value Send(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void OnReady(int error);

  std::unique_ptr<NetlinkReader> reader_;  // NULL once closed
  JsCallback on_datagrams_;
  JsCallback on_overflow_;
  DescriptorWatch watch_;  // must go before the socket is closed
};

}  // namespace verbena
