#pragma once

#include <napi.h>

#include <vector>

#include "rdma/work-records.h"
#include "verbs-object.h"

namespace verbena {

// A queue pair: the `QueuePairBinding` of src/binding.ts.
class VerbsQueuePair : public VerbsObject<VerbsQueuePair, QueuePair> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_queue_pair; }
  static Napi::Function Define(Napi::Env env);
  using VerbsObject::VerbsObject;
  ~VerbsQueuePair() override { Leave(); }

 protected:
  // Prepared work of this queue pair is of no use any more, and must not keep it alive.
  void Quiesce() override;

 private:
  Napi::Value Describe(const Napi::CallbackInfo& info);
  Napi::Value Modify(const Napi::CallbackInfo& info);
  Napi::Value Query(const Napi::CallbackInfo& info);
  Napi::Value PostSend(const Napi::CallbackInfo& info);
  Napi::Value PostReceive(const Napi::CallbackInfo& info);
  Napi::Value Prepare(const Napi::CallbackInfo& info);
  Napi::Value Credits(const Napi::CallbackInfo& info);
  Napi::Value Attach(const Napi::CallbackInfo& info);
  Napi::Value Detach(const Napi::CallbackInfo& info);

  WorkBatch sends_{WorkBatch::Kind::kSend};  // used again by each post
  WorkBatch receives_{WorkBatch::Kind::kReceive};
  std::vector<std::weak_ptr<struct PreparedBatch>> prepared_;
};

}  // namespace verbena
