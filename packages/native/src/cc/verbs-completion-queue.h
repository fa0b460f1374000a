#pragma once

#include <napi.h>

#include "rdma/objects.h"
#include "verbs-object.h"

namespace verbena {

// A completion queue: the `CompletionQueueBinding` of src/binding.ts.
class VerbsCompletionQueue : public VerbsObject<VerbsCompletionQueue, CompletionQueue> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_completion_queue; }
  static Napi::Function Define(Napi::Env env);
  using VerbsObject::VerbsObject;

 private:
  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value Arm(const Napi::CallbackInfo& info);
  Napi::Value Poll(const Napi::CallbackInfo& info);
  Napi::Value Acknowledge(const Napi::CallbackInfo& info);
  Napi::Value Resize(const Napi::CallbackInfo& info);
};

}  // namespace verbena
