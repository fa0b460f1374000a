#include "tcp-listener.h"

#include <errno.h>

#include <limits>
#include <utility>

#include "arguments.h"
#include "tcp-stream.h"

namespace verbena {

namespace {

// One turn of the event loop takes at most so many.
constexpr int kMaxAccepts = 64;

}  // namespace

Napi::Function TcpListener::Define(Napi::Env env) {
  return DefineClass(env, "TcpListenerBinding",
                     {InstanceMethod("start", &TcpListener::Start), InstanceMethod("setReading", &TcpListener::SetReading),
                      InstanceMethod("localPort", &TcpListener::LocalPort), InstanceMethod("close", &TcpListener::Close)});
}

Napi::Value TcpListener::Listen(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int scope = 0;
  int port = 0;
  int backlog = 0;
  TcpAddress local;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, std::numeric_limits<int>::max(), &scope) || !ReadInt(info, 2, 0, 65535, &port) ||
      !ReadInt(info, 3, 1, 65535, &backlog) ||
      !TcpAddress::Parse(info[0].As<Napi::String>(), static_cast<uint16_t>(port), static_cast<uint32_t>(scope), &local)) {
    return ThrowArguments(env, "listenTcp(host, scope, port, backlog)");
  }
  TcpSocket socket;
  const char* syscall = "";
  if (const int error = socket.Listen(local, backlog, &syscall)) return Throw(SystemError(env, error, syscall));
  return Environment::Of(env).New(Environment::Of(env).tcp_listener, &socket);
}

TcpListener::TcpListener(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<TcpSocket>(info.Env());
  if (seed == nullptr) return;
  socket_ = std::move(*seed);
  Environment::Of(info.Env()).Add(this);
}

TcpListener::~TcpListener() {
  if (socket_.is_open()) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void TcpListener::CloseNow() {
  on_accept_.Reset();
  on_trouble_.Reset();
  watch_.Reset();
  socket_.Close();
}

Napi::Value TcpListener::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!socket_.is_open()) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onAccept, onTrouble)");
  watch_.Start(env, socket_.fd(), info[1], [this](int failure) { OnReady(failure); });
  if (env.IsExceptionPending()) return env.Undefined();
  on_accept_ = JsCallback(info[0].As<Napi::Function>());
  on_trouble_ = JsCallback(info[1].As<Napi::Function>());
  is_held_ = true;
  Ref();
  return env.Undefined();
}

Napi::Value TcpListener::SetReading(const Napi::CallbackInfo& info) { return watch_.SetReading(info); }

Napi::Value TcpListener::LocalPort(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!socket_.is_open()) return ThrowClosed(env);
  TcpAddress local;
  if (const int error = socket_.LocalAddress(&local)) return Throw(SystemError(env, error, "getsockname"));
  return Napi::Number::New(env, local.port());
}

void TcpListener::OnReady(int error) {
  if (!socket_.is_open()) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  if (error != 0) return watch_.Fail(env, error, "poll");
  // JavaScript may close this object in any of the calls.
  for (int i = 0; i < kMaxAccepts && socket_.is_open() && AcceptOne(env);) i++;
}

bool TcpListener::AcceptOne(Napi::Env env) {
  TcpSocket accepted;
  TcpAddress peer;
  const char* syscall = "";
  int error = socket_.Accept(&accepted, &peer, &syscall);
  // A peer that has gone again while it waited is nobody's business.
  if (error == EINTR || error == ECONNABORTED || error == EPROTO) return true;
  if (error == EAGAIN || error == EWOULDBLOCK) return false;
  if (error == 0 && (error = accepted.Configure(&syscall)) != 0) return true;
  Napi::HandleScope scope(env);
  if (error != 0) {
    // Out of descriptors or memory: the connection stays where it is, and would wake the loop again at once.
    watch_.SetReading(false);
    on_trouble_.Call(env, {SystemError(env, error, syscall).Value()});
    return false;
  }
  const Napi::Value stream = TcpStream::Wrap(env, std::move(accepted));
  if (env.IsExceptionPending()) return false;
  on_accept_.Call(env, {stream, Napi::String::New(env, peer.host()), Napi::Number::New(env, peer.scope()),
                        Napi::Number::New(env, peer.port())});
  return true;
}

Napi::Value TcpListener::Close(const Napi::CallbackInfo& info) {
  if (socket_.is_open()) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  if (std::exchange(is_held_, false)) Unref();
  return info.Env().Undefined();
}

}  // namespace verbena
