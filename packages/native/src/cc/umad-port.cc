#include "umad-port.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "arguments.h"

namespace verbena {
namespace {

// How long the waiting thread stays in umad_poll: pretend descriptors cannot be woken, so this bounds a close.
constexpr int kWaitMs = 50;

struct Seed {
  std::shared_ptr<UmadLibrary> library;
  int port_id;
};

}  // namespace

Napi::Function UmadPort::Define(Napi::Env env) {
  return DefineClass(env, "UmadPortBinding",
                     {InstanceMethod("register", &UmadPort::Register), InstanceMethod("unregister", &UmadPort::Unregister),
                      InstanceMethod("send", &UmadPort::Send), InstanceMethod("start", &UmadPort::Start),
                      InstanceMethod("setReading", &UmadPort::SetReading), InstanceMethod("close", &UmadPort::Close),
                      InstanceMethod("isPolled", &UmadPort::IsPolled)});
}

Napi::Value UmadPort::Create(Napi::Env env, std::shared_ptr<UmadLibrary> library, int port_id) {
  Seed seed{std::move(library), port_id};
  const Napi::Value port = Environment::Of(env).New(Environment::Of(env).umad_port, &seed);
  // Not taken over: the environment is being terminated.
  if (seed.library != nullptr) seed.library->fn().umad_close_port(port_id);
  return port;
}

UmadPort::UmadPort(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<Seed>(info.Env());
  if (seed == nullptr) return;
  library_ = std::move(seed->library);
  port_id_ = seed->port_id;
  receiver_ = std::make_unique<UmadReceiver>(library_->fn(), port_id_);
  Environment::Of(info.Env()).Add(this);
}

UmadPort::~UmadPort() {
  if (IsOpen()) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void UmadPort::CloseNow() {
  if (!IsOpen()) return;
  on_messages_.Reset();
  on_failure_.Reset();
  poller_.reset();
  waiter_.reset();
  library_->fn().umad_close_port(std::exchange(port_id_, -1));
}

Napi::Value UmadPort::Register(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!IsOpen()) return ThrowClosed(env);
  int mgmt_class = 0, version = 0, rmpp_version = 0;
  if (!ReadInt(info, 0, 0, 255, &mgmt_class) || !ReadInt(info, 1, 0, 255, &version) || !ReadInt(info, 2, 0, 255, &rmpp_version) ||
      !info[3].IsArray()) {
    return ThrowArguments(env, "register(mgmtClass, version, rmppVersion, methods)");
  }
  long mask[VB_UMAD_MASK_LONGS] = {};
  constexpr int kBits = 8 * sizeof(long);
  const auto methods = info[3].As<Napi::Array>();
  for (uint32_t i = 0; i < methods.Length(); i++) {
    const Napi::Value value = methods.Get(i);
    const int method = value.IsNumber() ? value.As<Napi::Number>().Int32Value() : -1;
    if (method < 0 || method > 127) return ThrowArguments(env, "methods are numbers of 0 to 127");
    mask[method / kBits] |= static_cast<long>(1UL << (method % kBits));
  }
  errno = 0;
  const int agent = library_->fn().umad_register(port_id_, mgmt_class, version, static_cast<uint8_t>(rmpp_version),
                                                 methods.Length() > 0 ? mask : nullptr);
  if (agent < 0) return Throw(SystemError(env, UmadErrno(agent, errno), "umad_register"));
  return Napi::Number::New(env, agent);
}

Napi::Value UmadPort::Unregister(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int agent = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &agent)) return ThrowArguments(env, "unregister(agentId)");
  // After close there is nothing left to unregister: the kernel has dropped the agents with the descriptor.
  if (IsOpen()) library_->fn().umad_unregister(port_id_, agent);
  return env.Undefined();
}

Napi::Value UmadPort::Send(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!IsOpen()) return ThrowClosed(env);
  int agent = 0, timeout_ms = 0, retries = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &agent) || !info[1].IsTypedArray() || !ReadInt(info, 2, 0, INT32_MAX, &timeout_ms) ||
      !ReadInt(info, 3, 0, INT32_MAX, &retries)) {
    return ThrowArguments(env, "send(agentId, message, timeoutMs, retries)");
  }
  const auto message = info[1].As<Napi::Uint8Array>();
  if (message.TypedArrayType() != napi_uint8_array || message.ByteLength() < VB_UMAD_HEADER_SIZE ||
      message.ByteLength() > INT32_MAX) {
    return ThrowArguments(env, "message: a Uint8Array of a 64-byte header and the MAD");
  }
  // Copied: the library writes into the header, and JavaScript may reuse its buffer at once. Never less than one whole MAD, because
  // libraries look at fields of the MAD by their own structs.
  const size_t size = message.ByteLength();
  send_buffer_.assign(std::max<size_t>(size, VB_UMAD_HEADER_SIZE + VB_UMAD_MAD_SIZE), 0);
  memcpy(send_buffer_.data(), message.Data(), size);
  errno = 0;
  const int result = library_->fn().umad_send(port_id_, agent, send_buffer_.data(),
                                              static_cast<int>(size - VB_UMAD_HEADER_SIZE), timeout_ms, retries);
  const int error = errno;
  if (send_buffer_.capacity() > UmadReceiver::kMaxBytes) send_buffer_ = {};
  if (result < 0) return Throw(SystemError(env, UmadErrno(result, error), "umad_send"));
  return env.Undefined();
}

Napi::Value UmadPort::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!IsOpen()) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onMessages, onFailure)");
  if (poller_ != nullptr || waiter_ != nullptr) return Throw(SystemError(env, EALREADY, "start"));
  if (!Watch(env)) return env.Undefined();
  on_messages_ = JsCallback(info[0].As<Napi::Function>());
  on_failure_ = JsCallback(info[1].As<Napi::Function>());
  is_reading_ = true;
  Resume();
  return env.Undefined();
}

bool UmadPort::Watch(Napi::Env env) {
  Environment& environment = Environment::Of(env);
  const int fd = library_->fn().umad_get_fd(port_id_);
  int error = 0;
  poller_ = FdPoller::Open(environment, fd, [this](int failure, int) { OnReady(failure); }, &error);
  // A descriptor that epoll takes only when it is armed shows itself here.
  if (poller_ != nullptr && (error = poller_->Start()) == 0) {
    poller_->Stop();
    return true;
  }
  poller_.reset();
  const UmadFunctions& fn = library_->fn();
  const int port_id = port_id_;
  waiter_ = WaitThread::Open(
      environment,
      [&fn, port_id](int* failure) {
        errno = 0;
        const int result = fn.umad_poll(port_id, kWaitMs);
        if (result >= 0) return WaitThread::Result::kReady;
        *failure = UmadErrno(result, errno);
        const bool is_quiet = *failure == ETIMEDOUT || *failure == EINTR || *failure == EAGAIN;
        return is_quiet ? WaitThread::Result::kTimedOut : WaitThread::Result::kFailed;
      },
      [this](int failure) { OnReady(failure); }, &error);
  if (waiter_ != nullptr) return true;
  SystemError(env, error, "pthread_create").ThrowAsJavaScriptException();
  return false;
}

Napi::Value UmadPort::SetReading(const Napi::CallbackInfo& info) {
  if (!info[0].IsBoolean()) return ThrowArguments(info.Env(), "setReading(boolean)");
  is_reading_ = info[0].As<Napi::Boolean>().Value();
  if (!IsOpen() || closing_.has_value()) return info.Env().Undefined();
  if (is_reading_) {
    Resume();
  } else {
    Pause();
  }
  return info.Env().Undefined();
}

void UmadPort::Resume() {
  if (is_broken_) return;
  if (poller_ != nullptr) poller_->Start();
  if (waiter_ != nullptr) waiter_->Resume();
}

void UmadPort::Pause() {
  if (poller_ != nullptr) poller_->Stop();
  if (waiter_ != nullptr) waiter_->Pause();
}

void UmadPort::OnReady(int error) {
  if (!IsOpen() || closing_.has_value()) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  // libuv says EBADF of every descriptor in error, such as that of a device that was removed: the library knows the cause.
  if (error != 0 && poller_ == nullptr) return Fail(error, "poll");
  std::vector<uint8_t> batch;
  const auto outcome = receiver_->Receive(&batch);
  const int receive_error = receiver_->error();
  if (!batch.empty()) {
    // JavaScript may close, pause or drop this object in the call.
    Ref();
    on_messages_.Call(env, {Napi::Buffer<uint8_t>::Copy(env, batch.data(), batch.size())});
    Unref();
  }
  if (!IsOpen() || closing_.has_value()) return;
  if (outcome == UmadReceiver::Outcome::kFailed) return Fail(receive_error, "umad_recv");
  if (error != 0) return Fail(error, "poll");
  // The thread rests after each wake-up; the poller goes on by itself.
  if (waiter_ != nullptr && is_reading_) waiter_->Resume();
}

void UmadPort::Fail(int error, const char* syscall) {
  is_broken_ = true;
  Pause();
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  on_failure_.Call(env, {SystemError(env, error, syscall).Value()});
}

Napi::Value UmadPort::Close(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (closing_.has_value()) return closing_->Promise();
  auto deferred = Napi::Promise::Deferred::New(env);
  if (!IsOpen() || waiter_ == nullptr) {
    if (IsOpen()) Environment::Of(env).Remove(this);
    CloseNow();
    deferred.Resolve(env.Undefined());
    return deferred.Promise();
  }
  // The thread may be inside the library for a moment: the port stays open, and this object alive, until it has come out.
  closing_ = deferred;
  Ref();
  waiter_->End([this] {
    Napi::Env own = Env();
    Napi::HandleScope scope(own);
    Napi::AsyncContext context(own, "verbena:close");
    Napi::CallbackScope callback_scope(own, context);
    Environment::Of(own).Remove(this);
    CloseNow();
    closing_->Resolve(own.Undefined());
    Unref();
  });
  return deferred.Promise();
}

Napi::Value UmadPort::IsPolled(const Napi::CallbackInfo& info) { return Napi::Boolean::New(info.Env(), poller_ != nullptr); }

}  // namespace verbena
