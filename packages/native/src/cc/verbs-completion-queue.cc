#include "verbs-completion-queue.h"

#include <errno.h>

#include "arguments.h"
#include "own-method.h"
#include "pool-call.h"

namespace verbena {

Napi::Function VerbsCompletionQueue::Define(Napi::Env env) {
  return DefineClass(
      env, "CompletionQueueBinding",
      {InstanceMethod("describe", &VerbsCompletionQueue::Describe), InstanceMethod("arm", &VerbsCompletionQueue::Arm),
       InstanceMethod("records", &VerbsCompletionQueue::Records), InstanceMethod("acknowledge", &VerbsCompletionQueue::Acknowledge),
       InstanceMethod("resize", &VerbsCompletionQueue::Resize), InstanceMethod("close", &VerbsCompletionQueue::Close)});
}

VerbsCompletionQueue::VerbsCompletionQueue(const Napi::CallbackInfo& info) : VerbsObject(info) {
  if (object_ == nullptr) return;
  DefineOwnMethod<VerbsCompletionQueue, &VerbsCompletionQueue::Poll>(info, "poll", this);
  DefineOwnMethod<VerbsCompletionQueue, &VerbsCompletionQueue::ArmAndPoll>(info, "armAndPoll", this);
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

// records(capacity): the block that polls fill from now on, as bytes.
Napi::Value VerbsCompletionQueue::Records(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int capacity = 0;
  if (!ReadInt(info, 0, 1, 0xffff, &capacity)) return ThrowArguments(env, "records(capacity)");
  capacity_ = static_cast<size_t>(capacity);
  const size_t size = capacity_ * CompletionRecords::kSize;
  block_ = std::make_shared<Block>((size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  auto* share = new std::shared_ptr<Block>(block_);
  auto buffer = Napi::ArrayBuffer::New(
      env, block_->data(), size, [](Napi::Env, void*, std::shared_ptr<Block>* gone) { delete gone; }, share);
  if (env.IsExceptionPending()) return env.Undefined();
  return Napi::Uint8Array::New(env, size, buffer, 0);
}

// poll(): twice the number of completions in the block, and one more if some of them are for the library.
napi_value VerbsCompletionQueue::Poll(napi_env env, napi_callback_info) {
  return object_ != nullptr ? PollInto(env) : static_cast<napi_value>(ThrowClosed(env));
}

// armAndPoll(solicitedOnly)
napi_value VerbsCompletionQueue::ArmAndPoll(napi_env env, napi_callback_info info) {
  if (object_ == nullptr) return ThrowClosed(env);
  size_t count = 1;
  napi_value argument = nullptr;
  bool is_solicited_only = false;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  if (napi_get_value_bool(env, argument, &is_solicited_only) != napi_ok) return ThrowArguments(env, "armAndPoll(solicitedOnly)");
  const int error = object_->Arm(is_solicited_only);
  return error == 0 ? PollInto(env) : static_cast<napi_value>(Throw(SystemError(env, error, "ibv_req_notify_cq")));
}

napi_value VerbsCompletionQueue::PollInto(napi_env env) {
  if (block_ == nullptr) return ThrowArguments(env, "poll() after records()");
  bool has_tokens = false;
  const int count = object_->Poll(CompletionRecords(reinterpret_cast<uint8_t*>(block_->data()), capacity_), &has_tokens);
  if (count < 0) return Throw(SystemError(env, -count, "ibv_poll_cq"));
  napi_value result = nullptr;
  napi_create_int32(env, 2 * count + (has_tokens ? 1 : 0), &result);
  return result;
}

Napi::Value VerbsCompletionQueue::Acknowledge(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int count = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &count)) return ThrowArguments(env, "acknowledge(count)");
  // After close there is nothing left to acknowledge.
  if (object_ != nullptr) object_->Acknowledge(static_cast<uint32_t>(count));
  return env.Undefined();
}

// resize(depth): a promise of the new depth.
Napi::Value VerbsCompletionQueue::Resize(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int depth = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &depth)) return ThrowArguments(env, "resize(depth)");
  return CallOnPool<int>(
      env, "ibv_resize_cq",
      [queue = object_, depth](int* now) {
        errno = 0;
        const int error = CallError(queue->device->fn().ibv_resize_cq(queue->cq, depth));
        *now = queue->cq->cqe;
        return error;
      },
      [](Napi::Env the_env, int now) -> Napi::Value { return Napi::Number::New(the_env, now); });
}

}  // namespace verbena
