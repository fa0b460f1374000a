#include "rds-binding.h"

#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "own-method.h"

namespace verbena {
namespace {

// SIOCRDSSETTOS and SIOCRDSGETTOS.
constexpr unsigned long kSetTypeOfService = 0x89E0;
constexpr unsigned long kGetTypeOfService = 0x89E1;

struct Bytes {
  uint8_t* data = nullptr;
  size_t size = 0;
};

// False if `value` is no Uint8Array.
bool ReadBytes(napi_env env, napi_value value, Bytes* out) {
  napi_typedarray_type type;
  void* data = nullptr;
  bool is_array = false;
  if (napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array) return false;
  if (napi_get_typedarray_info(env, value, &type, &out->size, &data, nullptr, nullptr) != napi_ok) return false;
  out->data = static_cast<uint8_t*>(data);
  return type == napi_uint8_array;
}

// As ReadBytes, or nothing for `undefined`.
bool ReadOptionalBytes(napi_env env, napi_value value, Bytes* out) {
  napi_valuetype type;
  if (napi_typeof(env, value, &type) != napi_ok) return false;
  return type == napi_undefined || ReadBytes(env, value, out);
}

napi_value Number(napi_env env, ssize_t value) {
  napi_value result = nullptr;
  napi_create_int64(env, value, &result);
  return result;
}

Napi::Value Copy(Napi::Env env, const std::vector<uint8_t>& bytes) {
  return Napi::Buffer<uint8_t>::Copy(env, bytes.data(), bytes.size());
}

Napi::Value Wrap(Napi::Env env, std::unique_ptr<RdsSocket> socket) {
  return Environment::Of(env).New(Environment::Of(env).rds_socket, &socket);
}

}  // namespace

Napi::Function RdsBinding::Define(Napi::Env env) {
  return DefineClass(env, "RdsSocketBinding",
                     {InstanceMethod("bind", &RdsBinding::Bind), InstanceMethod("connect", &RdsBinding::Connect),
                      InstanceMethod("name", &RdsBinding::Name), InstanceMethod("setOption", &RdsBinding::SetOption),
                      InstanceMethod("getOption", &RdsBinding::GetOption), InstanceMethod("info", &RdsBinding::Info),
                      InstanceMethod("typeOfService", &RdsBinding::TypeOfService),
                      InstanceMethod("setControlSize", &RdsBinding::SetControlSize), InstanceMethod("start", &RdsBinding::Start),
                      InstanceMethod("poll", &RdsBinding::Poll), InstanceMethod("watch", &RdsBinding::Watch), InstanceMethod("close", &RdsBinding::Close)});
}

Napi::Value RdsBinding::Open(const Napi::CallbackInfo& info) {
  auto socket = std::make_unique<RdsSocket>();
  const char* syscall = "";
  if (const int error = socket->Open(&syscall)) return Throw(SystemError(info.Env(), error, syscall));
  return Wrap(info.Env(), std::move(socket));
}

Napi::Value RdsBinding::Duplicate(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int fd = 0;
  if (!ReadInt(info, 0, 0, std::numeric_limits<int>::max(), &fd)) return ThrowArguments(env, "duplicateRds(fd)");
  auto socket = std::make_unique<RdsSocket>();
  const char* syscall = "";
  if (const int error = socket->Duplicate(fd, &syscall)) return Throw(SystemError(env, error, syscall));
  return Wrap(env, std::move(socket));
}

RdsBinding::RdsBinding(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<std::unique_ptr<RdsSocket>>(info.Env());
  if (seed == nullptr) return;
  socket_ = std::move(*seed);
  Environment::Of(info.Env()).Add(this);
  DefineOwnMethod<RdsBinding, &RdsBinding::Send>(info, "send", this);
  DefineOwnMethod<RdsBinding, &RdsBinding::Receive>(info, "receive", this);
}

RdsBinding::~RdsBinding() {
  if (socket_ != nullptr) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void RdsBinding::CloseNow() {
  on_ready_.Reset();
  watch_.Reset();
  socket_.reset();
}

// send(data, address, control): the bytes taken, or a negative errno. `data` is a Uint8Array or an array of them.
napi_value RdsBinding::Send(napi_env env, napi_callback_info info) {
  if (socket_ == nullptr) return ThrowClosed(env);
  constexpr const char* kUsage = "send(data, address, control)";
  size_t count = 3;
  napi_value arguments[3] = {};
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Bytes address, control, data;
  if (!ReadOptionalBytes(env, arguments[1], &address) || !ReadOptionalBytes(env, arguments[2], &control)) {
    return ThrowArguments(env, kUsage);
  }
  if (ReadBytes(env, arguments[0], &data)) {
    const iovec part = {data.data, data.size};
    return Number(env, socket_->Send(&part, 1, address.data, address.size, control.data, control.size));
  }
  uint32_t length = 0;
  if (napi_get_array_length(env, arguments[0], &length) != napi_ok || length > IOV_MAX) return ThrowArguments(env, kUsage);
  std::vector<iovec> parts(length);
  for (uint32_t i = 0; i < length; i++) {
    napi_value one = nullptr;
    if (napi_get_element(env, arguments[0], i, &one) != napi_ok || !ReadBytes(env, one, &data)) return ThrowArguments(env, kUsage);
    parts[i] = {data.data, data.size};
  }
  return Number(env, socket_->Send(parts.data(), parts.size(), address.data, address.size, control.data, control.size));
}

// receive(block, max, limit, peek): the number of records, or a negative errno.
napi_value RdsBinding::Receive(napi_env env, napi_callback_info info) {
  if (socket_ == nullptr) return ThrowClosed(env);
  size_t count = 4;
  napi_value arguments[4] = {};
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Bytes block;
  uint32_t max = 0;
  double limit = 0;
  bool peek = false;
  if (!ReadBytes(env, arguments[0], &block) || napi_get_value_uint32(env, arguments[1], &max) != napi_ok ||
      napi_get_value_double(env, arguments[2], &limit) != napi_ok || napi_get_value_bool(env, arguments[3], &peek) != napi_ok ||
      max < 1 || max > block.size / sizeof(RdsRecord) || block.size > std::numeric_limits<uint32_t>::max() ||
      !(limit >= 0 && limit <= static_cast<double>(std::numeric_limits<uint32_t>::max()))) {
    return ThrowArguments(env, "receive(block, max, limit, peek)");
  }
  return Number(env, socket_->Receive(block.data, block.size, static_cast<int>(max), static_cast<size_t>(limit), peek));
}

Napi::Value RdsBinding::Bind(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Bytes address;
  if (socket_ == nullptr) return ThrowClosed(env);
  if (!ReadBytes(env, info[0], &address)) return ThrowArguments(env, "bind(address)");
  const int error = socket_->Bind(address.data, address.size);
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "bind"));
}

Napi::Value RdsBinding::Connect(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Bytes address;
  if (socket_ == nullptr) return ThrowClosed(env);
  if (!ReadBytes(env, info[0], &address)) return ThrowArguments(env, "connect(address)");
  const int error = socket_->Connect(address.data, address.size);
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "connect"));
}

// name(isPeer): a sockaddr.
Napi::Value RdsBinding::Name(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsBoolean()) return ThrowArguments(env, "name(isPeer)");
  const bool is_peer = info[0].As<Napi::Boolean>().Value();
  std::vector<uint8_t> name;
  const int error = socket_->Name(is_peer, &name);
  return error == 0 ? Copy(env, name) : Throw(SystemError(env, error, is_peer ? "getpeername" : "getsockname"));
}

Napi::Value RdsBinding::SetOption(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int level = 0, option = 0;
  Bytes value;
  if (!ReadInt(info, 0, 0, INT_MAX, &level) || !ReadInt(info, 1, 0, INT_MAX, &option) ||
      !ReadOptionalBytes(env, info[2], &value)) {
    return ThrowArguments(env, "setOption(level, option, value)");
  }
  const int error = socket_->SetOption(level, option, value.data, value.size);
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "setsockopt"));
}

Napi::Value RdsBinding::GetOption(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int level = 0, option = 0, size = 0;
  if (!ReadInt(info, 0, 0, INT_MAX, &level) || !ReadInt(info, 1, 0, INT_MAX, &option) || !ReadInt(info, 2, 0, 4096, &size)) {
    return ThrowArguments(env, "getOption(level, option, size)");
  }
  std::vector<uint8_t> value(static_cast<size_t>(size));
  const int error = socket_->GetOption(level, option, &value);
  return error == 0 ? Copy(env, value) : Throw(SystemError(env, error, "getsockopt"));
}

Napi::Value RdsBinding::Info(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int option = 0;
  if (!ReadInt(info, 0, 0, INT_MAX, &option)) return ThrowArguments(env, "info(option)");
  std::vector<uint8_t> list;
  size_t element_size = 0;
  const int error = socket_->Info(option, &list, &element_size);
  if (error != 0) return Throw(SystemError(env, error, "getsockopt"));
  Napi::Object out = Napi::Object::New(env);
  out.Set("elementSize", Napi::Number::New(env, static_cast<double>(element_size)));
  out.Set("bytes", Copy(env, list));
  return out;
}

// typeOfService(value): sets it, if one is given, and gives it.
Napi::Value RdsBinding::TypeOfService(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int wanted = -1;
  if (!info[0].IsUndefined() && !ReadInt(info, 0, 0, 255, &wanted)) return ThrowArguments(env, "typeOfService(value)");
  auto value = static_cast<uint8_t>(wanted);
  int error = wanted < 0 ? 0 : socket_->IoctlByte(kSetTypeOfService, &value);
  if (error == 0) error = socket_->IoctlByte(kGetTypeOfService, &value);
  return error == 0 ? Napi::Value(Napi::Number::New(env, value)) : Throw(SystemError(env, error, "ioctl"));
}

Napi::Value RdsBinding::SetControlSize(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int size = 0;
  if (!ReadInt(info, 0, 0, RdsSocket::kMaxControl, &size)) return ThrowArguments(env, "setControlSize(size)");
  socket_->set_control_size(static_cast<size_t>(size));
  return env.Undefined();
}

Napi::Value RdsBinding::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onReady, onFailure)");
  watch_.Start(env, socket_->events_fd(), info[1], [this](int failure) { OnReady(failure); });
  if (env.IsExceptionPending()) return env.Undefined();
  watch_.SetReading(false);
  on_ready_ = JsCallback(info[0].As<Napi::Function>());
  return env.Undefined();
}

// poll(): what is the case now, by poll's bits, which are epoll's too.
Napi::Value RdsBinding::Poll(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  return socket_ == nullptr ? ThrowClosed(env) : Napi::Number::New(env, socket_->Poll());
}

// watch(interest): what onReady is to be called for from now on, by epoll's bits; 0 lets the loop end.
Napi::Value RdsBinding::Watch(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (socket_ == nullptr) return ThrowClosed(env);
  int interest = 0;
  if (!ReadInt(info, 0, 0, EPOLLIN | EPOLLOUT, &interest)) return ThrowArguments(env, "watch(interest)");
  const bool was_watching = interest_ != 0;
  interest_ = static_cast<uint32_t>(interest);
  if ((interest_ != 0) != was_watching) watch_.SetReading(interest_ != 0);
  return env.Undefined();
}

void RdsBinding::OnReady(int error) {
  if (socket_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  if (error != 0) return watch_.Fail(env, error, "poll");
  const uint32_t events = socket_->TakeEvents();
  // Every acknowledgement wakes the socket; most of them nobody waits for.
  if ((events & (interest_ | EPOLLERR)) == 0) return;
  Ref();
  on_ready_.Call(env, {Napi::Number::New(env, events)});
  Unref();
}

Napi::Value RdsBinding::Close(const Napi::CallbackInfo& info) {
  if (socket_ != nullptr) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  return info.Env().Undefined();
}

}  // namespace verbena
