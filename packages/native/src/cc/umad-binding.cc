#include "umad-binding.h"

#include <errno.h>

#include <string>
#include <utility>

#include "arguments.h"
#include "environment.h"
#include "js-callback.h"
#include "umad-port.h"

namespace verbena {
namespace {

Napi::Object ToJs(Napi::Env env, const UmadPortDescription& port) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("device", port.device);
  out.Set("nodeGuid", Napi::BigInt::New(env, port.node_guid));
  out.Set("portCount", port.port_count);
  out.Set("port", port.port);
  out.Set("portGuid", Napi::BigInt::New(env, port.port_guid));
  out.Set("gidPrefix", Napi::BigInt::New(env, port.gid_prefix));
  out.Set("lid", port.lid);
  out.Set("lmc", port.lmc);
  out.Set("smLid", port.sm_lid);
  out.Set("smSl", port.sm_sl);
  out.Set("state", port.state);
  out.Set("physState", port.phys_state);
  out.Set("rate", port.rate);
  out.Set("capabilityMask", port.capability_mask);
  Napi::Array pkeys = Napi::Array::New(env, port.pkeys.size());
  for (size_t i = 0; i < port.pkeys.size(); i++) pkeys.Set(static_cast<uint32_t>(i), uint32_t{port.pkeys[i]});
  out.Set("pkeys", pkeys);
  out.Set("linkLayer", port.link_layer);
  return out;
}

}  // namespace

Napi::Function UmadBinding::Define(Napi::Env env) {
  return DefineClass(env, "UmadLibraryBinding",
                     {InstanceMethod("listPorts", &UmadBinding::ListPorts), InstanceMethod("queryPort", &UmadBinding::QueryPort),
                      InstanceMethod("openPort", &UmadBinding::OpenPort), InstanceMethod("setDebugLevel", &UmadBinding::SetDebugLevel)});
}

Napi::Value UmadBinding::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsString()) return ThrowArguments(env, "openUmad(path)");
  auto library = std::make_shared<UmadLibrary>();
  if (!library->Open(info[0].As<Napi::String>())) return Throw(LoadError(env, library->error()));
  return Environment::Of(env).New(Environment::Of(env).umad_library, &library);
}

UmadBinding::UmadBinding(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<std::shared_ptr<UmadLibrary>>(info.Env());
  if (seed == nullptr) return;
  library_ = std::move(*seed);
}

Napi::Value UmadBinding::ListPorts(const Napi::CallbackInfo& info) {
  const auto ports = library_->ListPorts();
  Napi::Array out = Napi::Array::New(info.Env(), ports.size());
  for (size_t i = 0; i < ports.size(); i++) out.Set(static_cast<uint32_t>(i), ToJs(info.Env(), ports[i]));
  return out;
}

Napi::Value UmadBinding::QueryPort(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int port = 0;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, 255, &port)) return ThrowArguments(env, "queryPort(device, port)");
  UmadPortDescription description;
  if (!library_->QueryPort(info[0].As<Napi::String>(), port, &description)) return env.Undefined();
  return ToJs(env, description);
}

void UmadBinding::SetDebugLevel(const Napi::CallbackInfo& info) {
  int level = 0;
  if (!ReadInt(info, 0, 0, 255, &level)) {
    ThrowArguments(info.Env(), "setDebugLevel(level)");
    return;
  }
  if (library_->fn().umad_debug != nullptr) library_->fn().umad_debug(level);
}

Napi::Value UmadBinding::OpenPort(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int port = 0;
  if (!info[0].IsString() || !ReadInt(info, 1, 0, 255, &port)) return ThrowArguments(env, "openPort(device, port)");
  const std::string device = info[0].As<Napi::String>();
  errno = 0;
  const int port_id = library_->fn().umad_open_port(device.c_str(), port);
  if (port_id < 0) return Throw(SystemError(env, UmadErrno(port_id, errno), "umad_open_port"));
  return UmadPort::Create(env, library_, port_id);
}

}  // namespace verbena
