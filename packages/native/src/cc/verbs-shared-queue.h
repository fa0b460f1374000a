#pragma once

#include <napi.h>

#include "rdma/work-records.h"
#include "verbs-object.h"

namespace verbena {

// A shared receive queue: the `SharedReceiveQueueBinding` of src/binding.ts.
class VerbsSharedQueue : public VerbsObject<VerbsSharedQueue, SharedReceiveQueue> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_shared_queue; }
  static Napi::Function Define(Napi::Env env);
  using VerbsObject::VerbsObject;
  ~VerbsSharedQueue() override { Leave(); }

 protected:
  void Quiesce() override { receives_.Clear(); }  // owns regions, and with these the device

 private:
  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value PostReceive(const Napi::CallbackInfo& info);
  Napi::Value Credits(const Napi::CallbackInfo& info);
  Napi::Value Modify(const Napi::CallbackInfo& info);
  Napi::Value Query(const Napi::CallbackInfo& info);

  WorkBatch receives_{WorkBatch::Kind::kReceive};  // used again by each post
};

}  // namespace verbena
