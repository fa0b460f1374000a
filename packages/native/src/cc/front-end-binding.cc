#include "front-end-binding.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "arguments.h"
#include "front/listener.h"

namespace verbena {
namespace {

constexpr size_t kMaxReply = 65536;
constexpr double kMaxSafeInteger = 9007199254740991.0;

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

bool ReadBytes(const Napi::CallbackInfo& info, size_t index, Bytes* out) {
  if (!info[index].IsTypedArray() || info[index].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) return false;
  const auto array = info[index].As<Napi::Uint8Array>();
  *out = {array.Data(), array.ByteLength()};
  return true;
}

bool ReadTags(const Napi::CallbackInfo& info, size_t index, std::vector<uint32_t>* out) {
  if (!info[index].IsTypedArray() || info[index].As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array) return false;
  const auto array = info[index].As<Napi::Uint32Array>();
  out->assign(array.Data(), array.Data() + array.ElementLength());
  return true;
}

bool ReadIo(const Napi::Value& value, front::Io* out) {
  if (value.IsUndefined()) return true;
  const std::string name = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  *out = name == "ring" ? front::Io::kRing : name == "epoll" ? front::Io::kEpoll : front::Io::kAuto;
  return *out != front::Io::kAuto || name == "auto";
}

}  // namespace

Napi::Function FrontEndBinding::Define(Napi::Env env) {
  return DefineClass(env, "FrontEndBinding",
                     {InstanceMethod("listenPath", &FrontEndBinding::ListenPath), InstanceMethod("listenTcp", &FrontEndBinding::ListenTcp),
                      InstanceMethod("listenDescriptor", &FrontEndBinding::ListenDescriptor),
                      InstanceMethod("closeListeners", &FrontEndBinding::CloseListeners), InstanceMethod("finish", &FrontEndBinding::Finish),
                      InstanceMethod("reply", &FrontEndBinding::Reply), InstanceMethod("closeClient", &FrontEndBinding::CloseClient),
                      InstanceMethod("put", &FrontEndBinding::Put), InstanceMethod("invalidate", &FrontEndBinding::Invalidate),
                      InstanceMethod("clearTable", &FrontEndBinding::ClearTable), InstanceMethod("takeHits", &FrontEndBinding::TakeHits),
                      InstanceMethod("clientCount", &FrontEndBinding::ClientCount),
                      InstanceMethod("io", &FrontEndBinding::Io), InstanceMethod("close", &FrontEndBinding::Close)});
}

Napi::Value FrontEndBinding::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const char* usage = "openFrontEnd({io?, maxClients, maxOpenRequests, maxUnsentBytes, tableBytes}, onEvents)";
  if (!info[0].IsObject() || !info[1].IsFunction()) return ThrowArguments(env, usage);
  const auto options = info[0].As<Napi::Object>();
  const auto number = [&](const char* name) -> uint64_t {
    const Napi::Value value = options.Get(name);
    const double of = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
    return of >= 0 && of <= kMaxSafeInteger ? static_cast<uint64_t>(of) : UINT64_MAX;
  };
  front::Limits limits;
  const uint64_t values[] = {number("maxClients"), number("maxOpenRequests"), number("maxUnsentBytes"), number("tableBytes")};
  for (const uint64_t value : values) {
    if (value == UINT64_MAX) return ThrowArguments(env, usage);
  }
  front::Io io = front::Io::kAuto;
  if (!ReadIo(options.Get("io"), &io)) return ThrowArguments(env, usage);
  limits.max_clients = static_cast<uint32_t>(std::min<uint64_t>(values[0], UINT32_MAX));
  limits.max_open_requests = static_cast<uint32_t>(std::min<uint64_t>(values[1], UINT32_MAX));
  limits.max_unsent_bytes = values[2];
  limits.table_bytes = values[3];

  Environment& environment = Environment::Of(env);
  Napi::Function on_events = info[1].As<Napi::Function>();
  const Napi::Value object = environment.New(environment.front_end, &on_events);
  if (env.IsExceptionPending()) return env.Undefined();
  auto* self = Unwrap(object.As<Napi::Object>());
  int error = 0;
  self->waker_ = LoopWaker::Open(environment, [self] { self->OnWake(); }, &error);
  if (self->waker_ == nullptr) return Throw(SystemError(env, error, "uv_async_init"));
  self->front_ = std::make_unique<front::FrontEnd>(limits, [waker = self->waker_.get()] { waker->Send(); });
  const char* syscall = "";
  if (const int failed = self->front_->Start(io, &syscall)) {
    self->CloseNow();
    return Throw(SystemError(env, failed, syscall));
  }
  environment.Add(self);
  self->Ref();  // it serves until it is closed, whoever holds it
  return object;
}

FrontEndBinding::FrontEndBinding(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  const auto* on_events = Environment::TakeSeed<Napi::Function>(info.Env());
  if (on_events == nullptr) return;
  on_events_ = JsCallback(*on_events);
}

FrontEndBinding::~FrontEndBinding() {
  if (front_ != nullptr) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void FrontEndBinding::CloseNow() {
  on_events_.Reset();
  front_.reset();
  waker_.reset();
}

Napi::Value FrontEndBinding::Listen(Napi::Env env, int fd) {
  if (const int error = front_->AddListener(fd)) return Throw(SystemError(env, error, "epoll_ctl"));
  return env.Undefined();
}

Napi::Value FrontEndBinding::ListenPath(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (front_ == nullptr) return ThrowClosed(env);
  int backlog = 0;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, 65535, &backlog)) return ThrowArguments(env, "listenPath(path, backlog)");
  int fd = -1;
  const char* syscall = "";
  const int error = front::ListenOnPath(info[0].As<Napi::String>(), backlog, &fd, &syscall);
  return error != 0 ? Throw(SystemError(env, error, syscall)) : Listen(env, fd);
}

Napi::Value FrontEndBinding::ListenTcp(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (front_ == nullptr) return ThrowClosed(env);
  int port = 0;
  int backlog = 0;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, 65535, &port) || !ReadInt(info, 2, 0, 65535, &backlog)) {
    return ThrowArguments(env, "listenTcp(host, port, backlog)");
  }
  int fd = -1;
  const char* syscall = "";
  auto taken = static_cast<uint16_t>(port);
  if (const int error = front::ListenOnTcp(info[0].As<Napi::String>(), &taken, backlog, &fd, &syscall)) {
    return Throw(SystemError(env, error, syscall));
  }
  Listen(env, fd);
  return Napi::Number::New(env, taken);
}

Napi::Value FrontEndBinding::ListenDescriptor(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (front_ == nullptr) return ThrowClosed(env);
  int fd = 0;
  int backlog = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &fd) || !ReadInt(info, 1, 0, 65535, &backlog)) {
    return ThrowArguments(env, "listenDescriptor(fd, backlog)");
  }
  const char* syscall = "";
  const int error = front::ListenOnDescriptor(fd, backlog, &syscall);
  return error != 0 ? Throw(SystemError(env, error, syscall)) : Listen(env, fd);
}

Napi::Value FrontEndBinding::CloseListeners(const Napi::CallbackInfo& info) {
  if (front_ != nullptr) front_->CloseListeners();
  return info.Env().Undefined();
}

Napi::Value FrontEndBinding::Finish(const Napi::CallbackInfo& info) {
  if (front_ != nullptr) front_->Finish();
  return info.Env().Undefined();
}

// reply(block, size): records of four words (id low, id high, bytes behind the words) and the tid; see src/front/reply-block.ts.
Napi::Value FrontEndBinding::Reply(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Bytes block;
  int size = 0;
  if (!ReadBytes(info, 0, &block) || !ReadInt(info, 1, 0, static_cast<double>(block.size), &size)) {
    return ThrowArguments(env, "reply(block, size)");
  }
  if (front_ == nullptr) return env.Undefined();
  struct Head {
    uint32_t id_low, id_high, size, unused;
    uint64_t tid;
  };
  Napi::Array stalled;
  uint32_t stalled_count = 0;
  const auto end = static_cast<size_t>(size);
  for (size_t at = 0; at + sizeof(Head) <= end;) {
    Head head = {};
    std::memcpy(&head, block.data + at, sizeof head);
    at += sizeof head;
    if (head.size > end - at) return ThrowArguments(env, "reply(block, size): a record is cut off");
    const uint64_t id = static_cast<uint64_t>(head.id_high) << 32 | head.id_low;
    if (front_->Reply(id, head.tid, block.data + at, head.size)) {
      if (stalled_count == 0) stalled = Napi::Array::New(env);
      stalled.Set(stalled_count++, Napi::Number::New(env, static_cast<double>(id)));
    }
    at += (head.size + 7u) / 8 * 8;
  }
  return stalled_count == 0 ? env.Undefined() : stalled;
}

Napi::Value FrontEndBinding::CloseClient(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const double id = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : -1;
  if (!(id >= 0 && id <= kMaxSafeInteger)) return ThrowArguments(env, "closeClient(id)");
  if (front_ != nullptr) front_->Close(static_cast<uint64_t>(id));
  return env.Undefined();
}

Napi::Value FrontEndBinding::Put(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Bytes request;
  Bytes reply;
  int account = 0;
  std::vector<uint32_t> tags;
  const double ttl_ms = info[2].IsNumber() ? info[2].As<Napi::Number>().DoubleValue() : -1;
  const bool is_valid = ReadBytes(info, 0, &request) && ReadBytes(info, 1, &reply) && ttl_ms >= 0 && ttl_ms <= 1e9 &&
                        ReadInt(info, 3, 0, 65535, &account) && ReadTags(info, 4, &tags) && tags.size() <= front::ReplyTable::kMaxTags;
  if (!is_valid || front::ReadFrame(request.data, request.size).length != request.size || reply.size < front::kHeaderSize ||
      reply.size > kMaxReply) {
    return ThrowArguments(env, "put(request, reply, ttlMs, account, tags)");
  }
  for (const uint32_t tag : tags) {
    if (tag >= 1u << 24) return ThrowArguments(env, "a tag is a number below 2^24");
  }
  if (front_ == nullptr) return env.Undefined();
  front_->Put(request.data, request.size, reply.data, reply.size, static_cast<uint64_t>(ttl_ms * 1e6), static_cast<uint32_t>(account),
              tags.data(), tags.size());
  return env.Undefined();
}

Napi::Value FrontEndBinding::Invalidate(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::vector<uint32_t> tags;
  if (!ReadTags(info, 0, &tags)) return ThrowArguments(env, "invalidate(tags)");
  if (front_ != nullptr) front_->Invalidate(tags.data(), tags.size());
  return env.Undefined();
}

Napi::Value FrontEndBinding::ClearTable(const Napi::CallbackInfo& info) {
  if (front_ != nullptr) front_->ClearTable();
  return info.Env().Undefined();
}

Napi::Value FrontEndBinding::TakeHits(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const front::Hits hits = front_ == nullptr ? front::Hits() : front_->TakeHits();
  const uint64_t now = front::MonotonicNs();
  Napi::Array accounts = Napi::Array::New(env);
  uint32_t count = 0;
  for (size_t i = 0; i < hits.by_account.size(); i++) {
    if (hits.by_account[i] == 0) continue;
    accounts.Set(count++, Napi::Number::New(env, static_cast<double>(i)));
    accounts.Set(count++, Napi::Number::New(env, static_cast<double>(hits.by_account[i])));
  }
  Napi::Array clients = Napi::Array::New(env);
  count = 0;
  for (const auto& client : hits.by_client) {
    const uint64_t age_ns = now > client.last_ns ? now - client.last_ns : 0;
    const double values[] = {client.peer.is_unix ? 1.0 : 0.0, static_cast<double>(client.peer.pid), static_cast<double>(client.peer.uid),
                             static_cast<double>(client.count), static_cast<double>(age_ns) / 1e6};
    for (const double value : values) clients.Set(count++, Napi::Number::New(env, value));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("accounts", accounts);
  out.Set("clients", clients);
  return out;
}

Napi::Value FrontEndBinding::ClientCount(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), front_ == nullptr ? 0 : front_->client_count());
}

Napi::Value FrontEndBinding::Io(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (front_ == nullptr) return ThrowClosed(env);
  const front::Failure& refused = front_->ring_failure();
  Napi::Object out = Napi::Object::New(env);
  out.Set("io", front_->io() == front::Io::kRing ? "ring" : "epoll");
  out.Set("errno", refused.error);
  out.Set("syscall", refused.syscall);
  return out;
}

void FrontEndBinding::OnWake() {
  if (front_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  const std::vector<uint8_t> events = front_->TakeEvents();
  if (events.empty()) return;
  Ref();
  on_events_.Call(env, {Napi::Buffer<uint8_t>::Copy(env, events.data(), events.size())});
  Unref();
}

Napi::Value FrontEndBinding::Close(const Napi::CallbackInfo& info) {
  if (front_ != nullptr) {
    Environment::Of(info.Env()).Remove(this);
    Unref();
  }
  CloseNow();
  return info.Env().Undefined();
}

}  // namespace verbena
