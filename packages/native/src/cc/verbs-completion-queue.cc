#include "verbs-completion-queue.h"

#include <errno.h>

#include <algorithm>

#include "arguments.h"

namespace verbena {

Napi::Function VerbsCompletionQueue::Define(Napi::Env env) {
  return DefineClass(
      env, "CompletionQueueBinding",
      {InstanceMethod("describe", &VerbsCompletionQueue::Describe), InstanceMethod("arm", &VerbsCompletionQueue::Arm),
       InstanceMethod("poll", &VerbsCompletionQueue::Poll), InstanceMethod("acknowledge", &VerbsCompletionQueue::Acknowledge),
       InstanceMethod("resize", &VerbsCompletionQueue::Resize), InstanceMethod("close", &VerbsCompletionQueue::Close)});
}

Napi::Value VerbsCompletionQueue::Describe(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  Napi::Object out = Napi::Object::New(env);
  out.Set("id", object_->id);
  out.Set("depth", object_->cq->cqe);
  return out;
}

Napi::Value VerbsCompletionQueue::Arm(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsBoolean()) return ThrowArguments(env, "arm(solicitedOnly)");
  const int error = object_->Arm(info[0].As<Napi::Boolean>().Value());
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "ibv_req_notify_cq"));
}

// poll(records): twice the number of completions, and one more if some of them are for the library.
Napi::Value VerbsCompletionQueue::Poll(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsTypedArray()) return ThrowArguments(env, "poll(Uint8Array)");
  auto records = info[0].As<Napi::Uint8Array>();
  if (records.TypedArrayType() != napi_uint8_array || reinterpret_cast<uintptr_t>(records.Data()) % alignof(vb_ibv_wc) != 0) {
    return ThrowArguments(env, "poll(Uint8Array), aligned to 8");
  }
  const size_t room = std::min<size_t>(records.ByteLength() / CompletionRecords::kSize, 0xffff);
  bool has_tokens = false;
  const int count = object_->Poll(CompletionRecords(records.Data(), room), &has_tokens);
  if (count < 0) return Throw(SystemError(env, -count, "ibv_poll_cq"));
  return Napi::Number::New(env, 2 * count + (has_tokens ? 1 : 0));
}

Napi::Value VerbsCompletionQueue::Acknowledge(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int count = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &count)) return ThrowArguments(env, "acknowledge(count)");
  // After close there is nothing left to acknowledge.
  if (object_ != nullptr) object_->Acknowledge(static_cast<uint32_t>(count));
  return env.Undefined();
}

// resize(depth): the new depth.
Napi::Value VerbsCompletionQueue::Resize(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int depth = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &depth)) return ThrowArguments(env, "resize(depth)");
  errno = 0;
  const int result = object_->device->fn().ibv_resize_cq(object_->cq, depth);
  if (result != 0) return Throw(SystemError(env, result > 0 ? result : (errno != 0 ? errno : EIO), "ibv_resize_cq"));
  return Napi::Number::New(env, object_->cq->cqe);
}

}  // namespace verbena
