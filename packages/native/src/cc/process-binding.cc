#include "process-binding.h"

#include <errno.h>
#include <sched.h>

#include <string>

#include "arguments.h"
#include "descriptors.h"
#include "dynamic-library.h"
#include "js-callback.h"

namespace verbena {
namespace {

Napi::Value ReadPeer(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int fd = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &fd)) return ThrowArguments(env, "peerCredentials(fd)");
  PeerCredentials peer;
  if (const int error = ReadPeerCredentials(fd, &peer)) {
    if (error == ENOTCONN) return env.Undefined();
    return Throw(SystemError(env, error, "getsockopt"));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("pid", peer.pid);
  out.Set("uid", peer.uid);
  out.Set("gid", peer.gid);
  return out;
}

Napi::Value Describe(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int fd = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &fd)) return ThrowArguments(env, "describeSocket(fd)");
  SocketFacts facts = {};
  if (DescribeSocket(fd, &facts) != 0) return env.Undefined();
  Napi::Object out = Napi::Object::New(env);
  out.Set("family", facts.family);
  out.Set("type", facts.type);
  out.Set("protocol", facts.protocol);
  out.Set("isListening", facts.is_listening);
  return out;
}

Napi::Value Send(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsString() || !info[1].IsString()) return ThrowArguments(env, "sendDatagram(path, text)");
  const std::string path = info[0].As<Napi::String>();
  const std::string text = info[1].As<Napi::String>();
  const char* syscall = "";
  const int error = SendDatagram(path, reinterpret_cast<const uint8_t*>(text.data()), text.size(), &syscall);
  return error != 0 ? Throw(SystemError(env, error, syscall)) : env.Undefined();
}

Napi::Value Lock(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int mode = 0;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, 07777, &mode)) return ThrowArguments(env, "lockFile(path, mode)");
  int fd = -1;
  const char* syscall = "";
  if (const int error = LockFile(info[0].As<Napi::String>(), static_cast<mode_t>(mode), &fd, &syscall)) {
    // Only the lock's own EAGAIN means "held by another"; open may fail with it as well.
    if (error == EAGAIN && std::string(syscall) == "fcntl") return env.Undefined();
    return Throw(SystemError(env, error, syscall));
  }
  return Napi::Number::New(env, fd);
}

Napi::Value AttachFabric(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsString() || !info[1].IsString() || !info[2].IsString()) {
    return ThrowArguments(env, "attachFabric(library, dir, nodes)");
  }
  DynamicLibrary library;
  const std::string path = info[0].As<Napi::String>();
  if (!library.Open(path)) return Throw(LoadError(env, library.error()));
  using Attach = int (*)(const char* dir, const char* nodes);
  const auto attach = reinterpret_cast<Attach>(library.Resolve("fabricsim_attach", ""));
  if (attach == nullptr) return Throw(LoadError(env, path + ": no function fabricsim_attach"));
  const std::string dir = info[1].As<Napi::String>();
  const std::string nodes = info[2].As<Napi::String>();
  errno = 0;
  const int result = attach(dir.c_str(), nodes.c_str());
  if (result == 0) return env.Undefined();
  const int error = result == -1 && errno != 0 ? errno : (result < 0 ? -result : result);
  return Throw(SystemError(env, error, "fabricsim_attach"));
}

// setThreadAffinity(cpus): of the calling thread alone.
Napi::Value SetAffinity(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsArray()) return ThrowArguments(env, "setThreadAffinity(cpus)");
  const auto cpus = info[0].As<Napi::Array>();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (uint32_t i = 0; i < cpus.Length(); i++) {
    const Napi::Value value = cpus.Get(i);
    const double cpu = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
    if (!(cpu >= 0 && cpu < CPU_SETSIZE)) return ThrowArguments(env, "cpus are numbers of 0 to 1023");
    CPU_SET(static_cast<size_t>(cpu), &set);
  }
  if (sched_setaffinity(0, sizeof set, &set) != 0) return Throw(SystemError(env, errno, "sched_setaffinity"));
  return env.Undefined();
}

Napi::Value ReadAffinity(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return Throw(SystemError(env, errno, "sched_getaffinity"));
  Napi::Array cpus = Napi::Array::New(env);
  uint32_t count = 0;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (CPU_ISSET(cpu, &set)) cpus.Set(count++, cpu);
  }
  return cpus;
}

}  // namespace

void DefineProcessFunctions(Napi::Env env, Napi::Object exports) {
  exports.Set("peerCredentials", Napi::Function::New(env, ReadPeer, "peerCredentials"));
  exports.Set("describeSocket", Napi::Function::New(env, Describe, "describeSocket"));
  exports.Set("sendDatagram", Napi::Function::New(env, Send, "sendDatagram"));
  exports.Set("lockFile", Napi::Function::New(env, Lock, "lockFile"));
  exports.Set("setThreadAffinity", Napi::Function::New(env, SetAffinity, "setThreadAffinity"));
  exports.Set("threadAffinity", Napi::Function::New(env, ReadAffinity, "threadAffinity"));
  exports.Set("attachFabric", Napi::Function::New(env, AttachFabric, "attachFabric"));
}

}  // namespace verbena
