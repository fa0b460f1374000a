#pragma once

#include <napi.h>

#include "rdma/objects.h"
#include "verbs-object.h"

namespace verbena {

// A protection domain: the `ProtectionDomainBinding` of src/binding.ts.
class VerbsDomain : public VerbsObject<VerbsDomain, ProtectionDomain> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_domain; }
  static Napi::Function Define(Napi::Env env);
  using VerbsObject::VerbsObject;

 private:
  Napi::Value Allocate(const Napi::CallbackInfo& info);
  Napi::Value Register(const Napi::CallbackInfo& info);
  Napi::Value CreatePair(const Napi::CallbackInfo& info);
  Napi::Value CreateSharedQueue(const Napi::CallbackInfo& info);
  Napi::Value CreateAddressHandle(const Napi::CallbackInfo& info);
};

// The `AddressHandleBinding` of src/binding.ts.
class VerbsAddressHandle : public VerbsObject<VerbsAddressHandle, AddressHandle> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_address_handle; }
  static Napi::Function Define(Napi::Env env);
  using VerbsObject::VerbsObject;
  ~VerbsAddressHandle() override { Leave(); }
  void CloseNow() override;

 private:
  Napi::Value Close(const Napi::CallbackInfo& info);
  Napi::Value Id(const Napi::CallbackInfo& info);
};

}  // namespace verbena
