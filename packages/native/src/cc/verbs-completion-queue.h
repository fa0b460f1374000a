#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "rdma/objects.h"
#include "verbs-object.h"

namespace verbena {

// A completion queue: the `CompletionQueueBinding` of src/binding.ts.
class VerbsCompletionQueue : public VerbsObject<VerbsCompletionQueue, CompletionQueue> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_completion_queue; }
  static Napi::Function Define(Napi::Env env);
  explicit VerbsCompletionQueue(const Napi::CallbackInfo& info);

 private:
  // What `poll` fills: also JavaScript's, which may keep it for longer than the queue.
  using Block = std::vector<uint64_t>;

  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value Arm(const Napi::CallbackInfo& info);
  Napi::Value Records(const Napi::CallbackInfo& info);
  napi_value Poll(napi_env env, napi_callback_info info);
  napi_value ArmAndPoll(napi_env env, napi_callback_info info);
  napi_value PollInto(napi_env env);
  Napi::Value Acknowledge(const Napi::CallbackInfo& info);
  Napi::Value Resize(const Napi::CallbackInfo& info);

  std::shared_ptr<Block> block_;
  size_t capacity_ = 0;  // of the block, in completions
};

}  // namespace verbena
