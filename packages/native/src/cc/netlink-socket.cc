#include "netlink-socket.h"

#include <errno.h>

#include <limits>
#include <utility>

#include "arguments.h"

namespace verbena {

Napi::Function NetlinkSocket::Define(Napi::Env env) {
  return DefineClass(env, "NetlinkSocketBinding",
                     {InstanceMethod("send", &NetlinkSocket::Send), InstanceMethod("start", &NetlinkSocket::Start),
                      InstanceMethod("setReading", &NetlinkSocket::SetReading), InstanceMethod("close", &NetlinkSocket::Close)});
}

namespace {

Napi::Value Wrap(Napi::Env env, std::unique_ptr<NetlinkReader> reader) {
  return Environment::Of(env).New(Environment::Of(env).netlink_socket, &reader);
}

}  // namespace

Napi::Value NetlinkSocket::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int protocol = 0;
  if (!ReadInt(info, 0, 0, 255, &protocol) || !info[1].IsNumber()) return ThrowArguments(env, "openNetlink(protocol, groups)");
  auto reader = std::make_unique<NetlinkReader>();
  const char* syscall = "";
  if (const int error = reader->Open(protocol, info[1].As<Napi::Number>().Uint32Value(), &syscall)) {
    return Throw(SystemError(env, error, syscall));
  }
  return Wrap(env, std::move(reader));
}

Napi::Value NetlinkSocket::Adopt(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int fd = 0;
  if (!ReadInt(info, 0, 0, std::numeric_limits<int>::max(), &fd)) return ThrowArguments(env, "adoptNetlink(fd)");
  auto reader = std::make_unique<NetlinkReader>();
  const char* syscall = "";
  if (const int error = reader->Adopt(fd, &syscall)) return Throw(SystemError(env, error, syscall));
  return Wrap(env, std::move(reader));
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
  watch_.Reset();
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
  watch_.Start(env, reader_->fd(), info[2], [this](int failure) { OnReady(failure); });
  if (env.IsExceptionPending()) return env.Undefined();
  on_datagrams_ = JsCallback(info[0].As<Napi::Function>());
  on_overflow_ = JsCallback(info[1].As<Napi::Function>());
  return env.Undefined();
}

Napi::Value NetlinkSocket::SetReading(const Napi::CallbackInfo& info) { return watch_.SetReading(info); }

void NetlinkSocket::OnReady(int error) {
  if (reader_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  // A full receive buffer shows up as an error of the descriptor as well; reading it tells which, and clears it.
  if (error != 0 && error != EBADF) return watch_.Fail(env, error, "recvfrom");
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
  if (reader_ != nullptr && error != 0) watch_.Resume();
  if (reader_ != nullptr && outcome == NetlinkReader::Outcome::kFailed) watch_.Fail(env, receive_error, "recvfrom");
  Unref();
}

Napi::Value NetlinkSocket::Close(const Napi::CallbackInfo& info) {
  if (reader_ != nullptr) Environment::Of(info.Env()).Remove(this);
  CloseNow();
  return info.Env().Undefined();
}

}  // namespace verbena
