#pragma once

#include <napi.h>

#include <memory>

#include "rdma/work-records.h"
#include "verbs-object.h"

namespace verbena {

// Translates the arguments (records: Uint8Array, count, maxSegments) of a post; false with an exception pending.
bool BuildWork(const Napi::CallbackInfo& info, const Device& device, WorkBatch* batch);

// What a post gives JavaScript: the number of requests posted, -1 if the queue has no room for all of them, or an exception, which says in
// `posted` how many of them the device has taken.
Napi::Value WorkResult(Napi::Env env, const WorkBatch::Result& result, const char* syscall);

struct PreparedBatch {
  std::shared_ptr<QueuePair> pair;
  WorkBatch batch;
};

// Work requests of one queue pair that were translated once: the `PreparedWorkBinding` of src/binding.ts.
class VerbsPreparedWork : public VerbsObject<VerbsPreparedWork, PreparedBatch> {
 public:
  static Napi::FunctionReference& Type(Environment& environment) { return environment.verbs_prepared_work; }
  static Napi::Function Define(Napi::Env env);
  explicit VerbsPreparedWork(const Napi::CallbackInfo& info);

 private:
  napi_value Post(napi_env env, napi_callback_info info);
  // At once: there is only memory to free, since the queue pair has a handle of its own.
  Napi::Value Close(const Napi::CallbackInfo& info);
};

}  // namespace verbena
