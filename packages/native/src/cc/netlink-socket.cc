#include "netlink-socket.h"

#include <errno.h>

#include <utility>

#include "arguments.h"

namespace verbena {

Napi::Function NetlinkSocket::Define(Napi::Env env) {
  return DefineClass(env, "NetlinkSocketBinding",
                     {InstanceMethod("send", &NetlinkSocket::Send), InstanceMethod("start", &NetlinkSocket::Start),
                      InstanceMethod("setReading", &NetlinkSocket::SetReading), InstanceMethod("close", &NetlinkSocket::Close)});
}

Napi::Value NetlinkSocket::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int protocol = 0;
  if (!ReadInt(info, 0, 0, 255, &protocol) || !info[1].IsNumber()) return ThrowArguments(env, "openNetlink(protocol, groups)");
  auto reader = std::make_unique<NetlinkReader>();
  const char* syscall = "";
  if (const int error = reader->Open(protocol, info[1].As<Napi::Number>().Uint32Value(), &syscall)) {
    return Throw(SystemError(env, error, syscall));
  }
  return Environment::Of(env).New(Environment::Of(env).netlink_socket, &reader);
}

NetlinkSocket::NetlinkSocket(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<std::unique_ptr<NetlinkReader>>(info.Env());
  if (seed == nullptr) return;
  reader_ = std::move(*seed);
  Environment::Of(info.Env()).Add(this);
}

NetlinkSocket::~NetlinkSocket() {
  if (reader_ != nullptr) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void NetlinkSocket::CloseNow() {
  on_datagrams_.Reset();
  on_overflow_.Reset();
  on_failure_.Reset();
  poller_.reset();
  reader_.reset();
}

Napi::Value NetlinkSocket::Send(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (reader_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    return ThrowArguments(env, "send(datagram)");
  }
  const auto datagram = info[0].As<Napi::Uint8Array>();
  if (const int error = reader_->Send(datagram.Data(), datagram.ByteLength())) return Throw(SystemError(env, error, "sendto"));
  return env.Undefined();
}

Napi::Value NetlinkSocket::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (reader_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction() || !info[2].IsFunction()) {
    return ThrowArguments(env, "start(onDatagrams, onOverflow, onFailure)");
  }
  if (poller_ != nullptr) return Throw(SystemError(env, EALREADY, "start"));
  int error = 0;
  poller_ = FdPoller::Open(Environment::Of(env), reader_->fd(), [this](int failure) { OnReady(failure); }, &error);
  if (poller_ == nullptr || (error = poller_->Start()) != 0) {
    poller_.reset();
    return Throw(SystemError(env, error, "epoll_ctl"));
  }
  on_datagrams_ = JsCallback(info[0].As<Napi::Function>());
  on_overflow_ = JsCallback(info[1].As<Napi::Function>());
  on_failure_ = JsCallback(info[2].As<Napi::Function>());
  return env.Undefined();
}

Napi::Value NetlinkSocket::SetReading(const Napi::CallbackInfo& info) {
  if (!info[0].IsBoolean()) return ThrowArguments(info.Env(), "setReading(boolean)");
  if (poller_ == nullptr) return info.Env().Undefined();
  if (info[0].As<Napi::Boolean>().Value()) {
    poller_->Start();
  } else {
    poller_->Stop();
  }
  return info.Env().Undefined();
}

void NetlinkSocket::OnReady(int error) {
  if (reader_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  // A full receive buffer shows up as an error of the descriptor as well; reading it tells which, and clears it.
  if (error != 0 && error != EBADF) return Fail(error);
  std::vector<std::vector<uint8_t>> datagrams;
  const auto outcome = reader_->Receive(&datagrams);
  const int receive_error = reader_->error();
  Ref();
  if (!datagrams.empty()) {
    Napi::Array out = Napi::Array::New(env, datagrams.size());
    for (size_t i = 0; i < datagrams.size(); i++) {
      out.Set(static_cast<uint32_t>(i), Napi::Buffer<uint8_t>::Copy(env, datagrams[i].data(), datagrams[i].size()));
    }
    on_datagrams_.Call(env, {out});
  }
  if (reader_ != nullptr && outcome == NetlinkReader::Outcome::kOverflow) on_overflow_.Call(env, {});
  // libuv stops watching a descriptor once it has reported an error.
  if (reader_ != nullptr && error != 0 && poller_ != nullptr) poller_->Start();
  if (reader_ != nullptr && outcome == NetlinkReader::Outcome::kFailed) Fail(receive_error);
  Unref();
}

void NetlinkSocket::Fail(int error) {
  poller_.reset();
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  on_failure_.Call(env, {SystemError(env, error, "recvfrom").Value()});
}

Napi::Value NetlinkSocket::Close(const Napi::CallbackInfo& info) {
  if (reader_ != nullptr) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  return info.Env().Undefined();
}

}  // namespace verbena
