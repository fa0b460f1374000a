#include "verbs-domain.h"

#include <utility>

#include "arguments.h"
#include "verbs-attributes.h"
#include "verbs-completion-queue.h"
#include "verbs-memory.h"
#include "verbs-queue-pair.h"
#include "verbs-shared-queue.h"

namespace verbena {

Napi::Function VerbsDomain::Define(Napi::Env env) {
  return DefineClass(env, "ProtectionDomainBinding",
                     {InstanceMethod("allocate", &VerbsDomain::Allocate), InstanceMethod("register", &VerbsDomain::Register),
                      InstanceMethod("createQueuePair", &VerbsDomain::CreatePair),
                      InstanceMethod("createSharedReceiveQueue", &VerbsDomain::CreateSharedQueue),
                      InstanceMethod("createAddressHandle", &VerbsDomain::CreateAddressHandle),
                      InstanceMethod("close", &VerbsDomain::Close)});
}

Napi::Value VerbsDomain::Allocate(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? VerbsMemory::Allocate(info, object_) : ThrowClosed(info.Env());
}

Napi::Value VerbsDomain::Register(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? VerbsMemory::Register(info, object_) : ThrowClosed(info.Env());
}

Napi::Value VerbsDomain::CreatePair(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  QueuePairSetup setup;
  const uint32_t* caps = nullptr;
  if (!ReadInt(info, 0, 0, INT32_MAX, &setup.type) || !info[4].IsBoolean() || !ReadFields(info[5], 5, &caps)) {
    return ThrowArguments(env, "createQueuePair(type, sendCq, recvCq, srq | undefined, signalsAll, caps)");
  }
  setup.send_cq = VerbsCompletionQueue::ObjectOf(env, info[1]);
  setup.recv_cq = VerbsCompletionQueue::ObjectOf(env, info[2]);
  setup.srq = VerbsSharedQueue::ObjectOf(env, info[3]);
  if (env.IsExceptionPending()) return env.Undefined();
  if (setup.send_cq == nullptr || setup.recv_cq == nullptr || (setup.srq == nullptr && !info[3].IsUndefined())) {
    return ThrowArguments(env, "createQueuePair: queues that are open");
  }
  setup.signals_all = info[4].As<Napi::Boolean>().Value();
  setup.cap = {caps[0], caps[1], caps[2], caps[3], caps[4]};
  return CreateOnPool<VerbsQueuePair, QueuePair>(
      env, "ibv_create_qp", [domain = object_, setup](int* error) { return QueuePair::Create(domain, setup, error); });
}

Napi::Value VerbsDomain::CreateSharedQueue(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int max_wr = 0, max_sge = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &max_wr) || !ReadInt(info, 1, 1, INT32_MAX, &max_sge)) {
    return ThrowArguments(env, "createSharedReceiveQueue(maxWr, maxSge)");
  }
  auto create = [domain = object_, max_wr, max_sge](int* error) {
    return SharedReceiveQueue::Create(domain, static_cast<uint32_t>(max_wr), static_cast<uint32_t>(max_sge), error);
  };
  return CreateOnPool<VerbsSharedQueue, SharedReceiveQueue>(env, "ibv_create_srq", std::move(create));
}

Napi::Value VerbsDomain::CreateAddressHandle(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  const uint32_t* fields = nullptr;
  vb_ibv_ah_attr attributes = {};
  if (!ReadFields(info[0], kAddressFields, &fields) || !ReadGid(info[1], &attributes.grh.dgid)) {
    return ThrowArguments(env, "createAddressHandle(fields, dgid)");
  }
  ReadAddress(fields, &attributes);
  auto create = [domain = object_, attributes](int* error) mutable { return AddressHandle::Create(domain, &attributes, error); };
  return CreateOnPool<VerbsAddressHandle, AddressHandle>(env, "ibv_create_ah", std::move(create));
}

Napi::Function VerbsAddressHandle::Define(Napi::Env env) {
  return DefineClass(env, "AddressHandleBinding",
                     {InstanceMethod("id", &VerbsAddressHandle::Id), InstanceMethod("close", &VerbsAddressHandle::Close)});
}

void VerbsAddressHandle::CloseNow() {
  if (object_ == nullptr) return;
  object_->Release();
  object_.reset();
}

Napi::Value VerbsAddressHandle::Close(const Napi::CallbackInfo& info) {
  if (object_ != nullptr) Environment::Of(info.Env()).Remove(this);
  vb_ibv_ah* retired = object_ != nullptr ? object_->Retire() : nullptr;
  auto destroy = [handle = std::move(object_), retired]() mutable {
    if (handle != nullptr) handle->Destroy(retired);
    handle.reset();
    return 0;
  };
  return ChangeOnPool(info.Env(), "ibv_destroy_ah", std::move(destroy), [] {});
}

Napi::Value VerbsAddressHandle::Id(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? Napi::Number::New(info.Env(), object_->id) : ThrowClosed(info.Env());
}

}  // namespace verbena
