#include "verbs-binding.h"

#include <string>
#include <utility>

#include "arguments.h"
#include "environment.h"
#include "js-callback.h"
#include "rdma/objects.h"
#include "verbs-context.h"

namespace verbena {

Napi::Function VerbsBinding::Define(Napi::Env env) {
  return DefineClass(
      env, "VerbsLibraryBinding",
      {InstanceMethod("devices", &VerbsBinding::Devices), InstanceMethod("openDevice", &VerbsBinding::OpenDevice)});
}

Napi::Value VerbsBinding::Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsString()) return ThrowArguments(env, "openVerbs(path)");
  auto library = std::make_shared<VerbsLibrary>();
  if (!library->Open(info[0].As<Napi::String>())) return Throw(LoadError(env, library->error()));
  return Environment::Of(env).New(Environment::Of(env).verbs_library, &library);
}

Napi::Value VerbsBinding::LiveObjects(const Napi::CallbackInfo& info) {
  Napi::Object out = Napi::Object::New(info.Env());
  out.Set("devices", Device::Now());
  out.Set("protectionDomains", ProtectionDomain::Now());
  out.Set("memoryRegions", Region::Now());
  out.Set("addressHandles", AddressHandle::Now());
  out.Set("channels", CompletionChannel::Now());
  out.Set("completionQueues", CompletionQueue::Now());
  out.Set("sharedReceiveQueues", SharedReceiveQueue::Now());
  out.Set("queuePairs", QueuePair::Now());
  return out;
}

VerbsBinding::VerbsBinding(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<std::shared_ptr<VerbsLibrary>>(info.Env());
  if (seed == nullptr) return;
  library_ = std::move(*seed);
}

Napi::Value VerbsBinding::Devices(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::vector<VerbsDeviceDescription> devices;
  if (const int error = library_->ListDevices(&devices)) return Throw(SystemError(env, error, "ibv_get_device_list"));
  Napi::Array out = Napi::Array::New(env, devices.size());
  for (size_t i = 0; i < devices.size(); i++) {
    Napi::Object device = Napi::Object::New(env);
    device.Set("name", devices[i].name);
    device.Set("nodeGuid", Napi::BigInt::New(env, devices[i].node_guid));
    device.Set("nodeType", devices[i].node_type);
    device.Set("transport", devices[i].transport);
    out.Set(static_cast<uint32_t>(i), device);
  }
  return out;
}

Napi::Value VerbsBinding::OpenDevice(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!info[0].IsString()) return ThrowArguments(env, "openDevice(name)");
  int error = 0;
  vb_ibv_context* context = library_->OpenDevice(info[0].As<Napi::String>(), &error);
  if (context == nullptr) return Throw(SystemError(env, error, "ibv_open_device"));
  return VerbsContext::Create(env, library_, context);
}

}  // namespace verbena
