#include "verbs-work.h"

#include <errno.h>

#include "arguments.h"
#include "own-method.h"

namespace verbena {

bool BuildWork(const Napi::CallbackInfo& info, const Device& device, WorkBatch* batch) {
  Napi::Env env = info.Env();
  int count = 0, max_segments = 0;
  if (!info[0].IsTypedArray() || !ReadInt(info, 1, 1, INT32_MAX, &count) || !ReadInt(info, 2, 0, 1024, &max_segments)) {
    ThrowArguments(env, "records: Uint8Array, count, maxSegments");
    return false;
  }
  const auto records = info[0].As<Napi::Uint8Array>();
  if (records.TypedArrayType() != napi_uint8_array) {
    ThrowArguments(env, "records: Uint8Array");
    return false;
  }
  if (batch->Build(device, records.Data(), records.ByteLength(), static_cast<uint32_t>(count), static_cast<uint32_t>(max_segments))) {
    return true;
  }
  Napi::TypeError::New(env, batch->error()).ThrowAsJavaScriptException();
  return false;
}

Napi::Value WorkResult(Napi::Env env, const WorkBatch::Result& result, const char* syscall) {
  switch (result.outcome) {
    case WorkBatch::Outcome::kPosted: {
      napi_value posted = nullptr;
      napi_create_uint32(env, result.posted, &posted);
      return Napi::Value(env, posted);
    }
    case WorkBatch::Outcome::kNoCredits:
      return Napi::Number::New(env, -1);
    case WorkBatch::Outcome::kGone:
      Napi::TypeError::New(env, "a memory region or address handle of the requests is missing or closed").ThrowAsJavaScriptException();
      return env.Undefined();
    case WorkBatch::Outcome::kRefused:
      break;
  }
  Napi::Error error = SystemError(env, result.error, syscall);
  error.Set("posted", Napi::Number::New(env, result.posted));
  return Throw(error);
}

Napi::Function VerbsPreparedWork::Define(Napi::Env env) {
  return DefineClass(env, "PreparedWorkBinding", {InstanceMethod("close", &VerbsPreparedWork::Close)});
}

VerbsPreparedWork::VerbsPreparedWork(const Napi::CallbackInfo& info) : VerbsObject(info) {
  if (object_ != nullptr) DefineOwnMethod<VerbsPreparedWork, &VerbsPreparedWork::Post>(info, "post", this);
}

// post(): see WorkResult.
napi_value VerbsPreparedWork::Post(napi_env env, napi_callback_info) {
  if (object_ == nullptr || object_->pair == nullptr) return ThrowClosed(env);
  return WorkResult(env, object_->batch.Post(*object_->pair), "ibv_post");
}

Napi::Value VerbsPreparedWork::Close(const Napi::CallbackInfo& info) {
  Leave();
  return info.Env().Undefined();
}

}  // namespace verbena
