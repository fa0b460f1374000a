#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "rdma/objects.h"
#include "verbs-object.h"

namespace verbena {

// Registered memory: the `MemoryRegionBinding` of src/binding.ts.
class VerbsMemory : public VerbsObject<VerbsMemory, Region> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_memory; }
  static Napi::Function Define(Napi::Env env);

  // allocate(length, access, hugePages) of a protection domain: pages of ours, shown as an ArrayBuffer. A promise.
  static Napi::Value Allocate(const Napi::CallbackInfo& info, const std::shared_ptr<ProtectionDomain>& domain);
  // register(view, access) of a protection domain: the program's memory. A promise.
  static Napi::Value Register(const Napi::CallbackInfo& info, const std::shared_ptr<ProtectionDomain>& domain);

  using VerbsObject::VerbsObject;
  ~VerbsMemory() override { Leave(); }
  void CloseNow() override;
  // The view through which JavaScript reaches the memory, and the pages if they are ours, kept as long as the registration lasts.
  void Hold(Napi::ObjectReference view, std::shared_ptr<void> pages) {
    view_ = std::move(view);
    pages_ = std::move(pages);
  }

 private:
  Napi::Value Memory(const Napi::CallbackInfo& info);
  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  std::shared_ptr<void> pages_;
  Napi::ObjectReference view_;
};

}  // namespace verbena
