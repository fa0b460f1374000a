#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <vector>

#include "environment.h"
#include "fd-poller.h"
#include "js-callback.h"
#include "umad-library.h"
#include "umad-receiver.h"
#include "wait-thread.h"

namespace verbena {

// An open umad port and its agents: the `UmadPortBinding` of src/binding.ts.
class UmadPort : public Napi::ObjectWrap<UmadPort>, public Closable {
 public:
  static Napi::Function Define(Napi::Env env);
  // `port_id` is what umad_open_port gave; it belongs to the new object, also if undefined is returned with an exception pending.
  static Napi::Value Create(Napi::Env env, std::shared_ptr<UmadLibrary> library, int port_id);

  explicit UmadPort(const Napi::CallbackInfo& info);
  ~UmadPort() override;
  void CloseNow() override;

 private:
  Napi::Value Register(const Napi::CallbackInfo& info);
  Napi::Value Unregister(const Napi::CallbackInfo& info);
  Napi::Value Send(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value SetReading(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  Napi::Value IsPolled(const Napi::CallbackInfo& info);

  bool IsOpen() const { return port_id_ >= 0; }
  bool Watch(Napi::Env env);
  void Resume();
  void Pause();
  void OnReady(int error);
  void Fail(int error, const char* syscall);

  std::shared_ptr<UmadLibrary> library_;
  int port_id_ = -1;
  bool is_reading_ = false;
  bool is_broken_ = false;
  std::vector<uint8_t> send_buffer_;
  JsCallback on_messages_;
  JsCallback on_failure_;
  std::optional<Napi::Promise::Deferred> closing_;
  // Must go before the port is closed: both wait on its descriptor.
  std::unique_ptr<UmadReceiver> receiver_;
  std::unique_ptr<FdPoller> poller_;
  std::unique_ptr<WaitThread> waiter_;  // where epoll refuses the descriptor
};

}  // namespace verbena
