#include "tcp-stream.h"

#include <errno.h>

#include <array>
#include <limits>
#include <utility>

#include "arguments.h"
#include "own-method.h"

namespace verbena {

namespace {

// What `onReady` is told; the same numbers in src/binding.ts.
enum Ready { kReadable = 1, kWritable = 2, kAcked = 4, kConnected = 8 };

// Of one call to the kernel, which takes no more than IOV_MAX.
constexpr uint32_t kMaxSegments = 1024;

bool ReadAddress(const Napi::CallbackInfo& info, size_t first, TcpAddress* out) {
  int scope = 0;
  int port = 0;
  if (!info[first].IsString() || !ReadInt(info, first + 1, 0, std::numeric_limits<int>::max(), &scope)) return false;
  if (!ReadInt(info, first + 2, 0, 65535, &port)) return false;
  return TcpAddress::Parse(info[first].As<Napi::String>(), static_cast<uint16_t>(port), static_cast<uint32_t>(scope), out);
}

bool ReadBytes(napi_env env, napi_value value, uint8_t** data, size_t* size) {
  napi_typedarray_type type = napi_int8_array;
  void* start = nullptr;
  if (napi_get_typedarray_info(env, value, &type, size, &start, nullptr, nullptr) != napi_ok || type != napi_uint8_array) return false;
  *data = static_cast<uint8_t*>(start);
  return true;
}

napi_value ThrowUsage(napi_env env, const char* usage) {
  napi_throw_type_error(env, nullptr, usage);
  return nullptr;
}

}  // namespace

Napi::Function TcpStream::Define(Napi::Env env) {
  return DefineClass(env, "TcpStreamBinding",
                     {InstanceMethod("start", &TcpStream::Start), InstanceMethod("watchWritable", &TcpStream::WatchWritable),
                      InstanceMethod("localPort", &TcpStream::LocalPort), InstanceMethod("close", &TcpStream::Close),
                      InstanceMethod("reset", &TcpStream::Reset)});
}

Napi::Value TcpStream::Connect(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  TcpAddress local;
  TcpAddress remote;
  if (!ReadAddress(info, 0, &local) || !ReadAddress(info, 3, &remote)) {
    return ThrowArguments(env, "connectTcp(host, scope, port, remoteHost, remoteScope, remotePort)");
  }
  Seed seed = {TcpSocket(), false};
  const char* syscall = "";
  if (const int error = seed.socket.Connect(local, remote, &syscall)) return Throw(SystemError(env, error, syscall));
  return Environment::Of(env).New(Environment::Of(env).tcp_stream, &seed);
}

Napi::Value TcpStream::Wrap(Napi::Env env, TcpSocket socket) {
  Seed seed = {std::move(socket), true};
  return Environment::Of(env).New(Environment::Of(env).tcp_stream, &seed);
}

TcpStream::TcpStream(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<Seed>(info.Env());
  if (seed == nullptr) return;
  socket_ = std::move(seed->socket);
  is_connected_ = seed->is_connected;
  DefineOwnMethod<TcpStream, &TcpStream::Read>(info, "read", this);
  DefineOwnMethod<TcpStream, &TcpStream::Write>(info, "write", this);
  DefineOwnMethod<TcpStream, &TcpStream::AckPosition>(info, "ackPosition", this);
  Environment::Of(info.Env()).Add(this);
}

TcpStream::~TcpStream() {
  if (socket_.is_open()) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void TcpStream::CloseNow() {
  on_ready_.Reset();
  on_failure_.Reset();
  poller_.reset();
  socket_.Close();
}

Napi::Value TcpStream::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!socket_.is_open()) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onReady, onFailure)");
  if (poller_ != nullptr) return Throw(SystemError(env, EALREADY, "start"));
  int error = 0;
  poller_ = FdPoller::Open(
      Environment::Of(env), socket_.fd(), [this](int failure, int events) { OnReady(failure, events); }, &error);
  if (poller_ == nullptr) return Throw(SystemError(env, error, "epoll_ctl"));
  on_ready_ = JsCallback(info[0].As<Napi::Function>());
  on_failure_ = JsCallback(info[1].As<Napi::Function>());
  wanted_ = kReadable;
  is_held_ = true;
  Ref();
  Watch();
  return env.Undefined();
}

Napi::Value TcpStream::WatchWritable(const Napi::CallbackInfo& info) {
  if (!info[0].IsBoolean()) return ThrowArguments(info.Env(), "watchWritable(boolean)");
  const int wanted = kReadable | (info[0].As<Napi::Boolean>().Value() ? kWritable : 0);
  if (wanted == wanted_ || poller_ == nullptr) return info.Env().Undefined();
  wanted_ = wanted;
  if (is_connected_) Watch();
  return info.Env().Undefined();
}

void TcpStream::Watch() {
  // A connection that is not decided yet shows it by becoming writable. With priority events in the set, libuv passes on the wake-up of
  // an error queue that holds reports alone; without, it would stop watching.
  const int events = is_connected_ ? wanted_ : kUvWritable;
  poller_->Start(events | kUvPrioritized);
}

void TcpStream::OnReady(int error, int events) {
  if (!socket_.is_open()) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  int ready = 0;
  if (!is_connected_) {
    if (const int failure = socket_.TakeError()) return Fail(env, failure, "connect");
    is_connected_ = true;
    ready = kConnected;
    Watch();
  } else {
    // libuv says EBADF of every descriptor with something in its error queue. If the connection itself has failed, the next read tells.
    const int seen = error == 0 ? events & (kUvReadable | kUvWritable) : wanted_;
    ready = (seen & wanted_) | (socket_.TakeAckReports() ? kAcked : 0);
    if (error != 0) Watch();
  }
  if (ready != 0) on_ready_.Call(env, {Napi::Number::New(env, ready)});
}

void TcpStream::Fail(Napi::Env env, int error, const char* syscall) {
  poller_.reset();
  on_failure_.Call(env, {SystemError(env, error, syscall).Value()});
}

napi_value TcpStream::Read(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3] = {};
  uint8_t* data = nullptr;
  size_t size = 0;
  uint32_t first = 0;
  uint32_t length = 0;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) != napi_ok || !ReadBytes(env, arguments[0], &data, &size) ||
      napi_get_value_uint32(env, arguments[1], &first) != napi_ok || napi_get_value_uint32(env, arguments[2], &length) != napi_ok ||
      first > size || length > size - first || length == 0) {
    return ThrowUsage(env, "read(into, offset, length)");
  }
  if (!socket_.is_open()) return ThrowClosed(env);
  const auto moved = socket_.Read(data + first, length);
  if (moved.error != 0 && moved.error != EAGAIN) return Throw(SystemError(env, moved.error, "recv"));
  napi_value result = nullptr;
  const bool is_end = moved.error == 0 && moved.bytes == 0;
  napi_create_double(env, is_end ? -1 : static_cast<double>(moved.bytes), &result);
  return result;
}

napi_value TcpStream::Write(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2] = {};
  uint32_t length = 0;
  uint32_t skip = 0;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) != napi_ok ||
      napi_get_array_length(env, arguments[0], &length) != napi_ok || napi_get_value_uint32(env, arguments[1], &skip) != napi_ok) {
    return ThrowUsage(env, "write(segments, skip)");
  }
  if (!socket_.is_open()) return ThrowClosed(env);
  std::array<iovec, kMaxSegments> segments;
  if (length > kMaxSegments) length = kMaxSegments;
  for (uint32_t i = 0; i < length; i++) {
    napi_value segment = nullptr;
    uint8_t* data = nullptr;
    size_t size = 0;
    if (napi_get_element(env, arguments[0], i, &segment) != napi_ok || !ReadBytes(env, segment, &data, &size) ||
        (i == 0 && skip > size)) {
      return ThrowUsage(env, "write(segments, skip): Uint8Arrays, of the first of which `skip` bytes are left out");
    }
    segments[i] = i == 0 ? iovec{data + skip, size - skip} : iovec{data, size};
  }
  const auto moved = socket_.Write(segments.data(), length);
  if (moved.error != 0 && moved.error != EAGAIN) return Throw(SystemError(env, moved.error, "sendmsg"));
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>(moved.bytes), &result);
  return result;
}

napi_value TcpStream::AckPosition(napi_env env, napi_callback_info) {
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>(socket_.AckPosition()), &result);
  return result;
}

Napi::Value TcpStream::LocalPort(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!socket_.is_open()) return ThrowClosed(env);
  TcpAddress local;
  if (const int error = socket_.LocalAddress(&local)) return Throw(SystemError(env, error, "getsockname"));
  return Napi::Number::New(env, local.port());
}

Napi::Value TcpStream::Close(const Napi::CallbackInfo& info) {
  if (socket_.is_open()) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  if (std::exchange(is_held_, false)) Unref();
  return info.Env().Undefined();
}

Napi::Value TcpStream::Reset(const Napi::CallbackInfo& info) {
  // The descriptor must leave the loop first.
  if (socket_.is_open()) {
    Environment::Of(info.Env()).Remove(this);
    poller_.reset();
    socket_.Reset();
  }
  return Close(info);
}

}  // namespace verbena
