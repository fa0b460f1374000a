#include "verbs-shared-queue.h"

#include <errno.h>

#include <utility>

#include "arguments.h"
#include "pool-call.h"
#include "verbs-work.h"

namespace verbena {

Napi::Function VerbsSharedQueue::Define(Napi::Env env) {
  return DefineClass(
      env, "SharedReceiveQueueBinding",
      {InstanceMethod("describe", &VerbsSharedQueue::Describe), InstanceMethod("postReceive", &VerbsSharedQueue::PostReceive),
       InstanceMethod("credits", &VerbsSharedQueue::Credits), InstanceMethod("modify", &VerbsSharedQueue::Modify),
       InstanceMethod("query", &VerbsSharedQueue::Query), InstanceMethod("close", &VerbsSharedQueue::Close)});
}

Napi::Value VerbsSharedQueue::Describe(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  Napi::Object out = Napi::Object::New(env);
  out.Set("id", object_->id);
  out.Set("queue", object_->receives->id());
  return out;
}

Napi::Value VerbsSharedQueue::PostReceive(const Napi::CallbackInfo& info) {
  if (object_ == nullptr) return ThrowClosed(info.Env());
  if (!BuildWork(info, *object_->domain->device, &receives_)) return info.Env().Undefined();
  return WorkResult(info.Env(), receives_.Post(*object_), "ibv_post_srq_recv");
}

Napi::Value VerbsSharedQueue::Credits(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? Napi::Number::New(info.Env(), object_->receives->Credits()) : ThrowClosed(info.Env());
}

// modify(limit), a promise: arms the event that fewer receives than that are left.
Napi::Value VerbsSharedQueue::Modify(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int limit = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &limit)) return ThrowArguments(env, "modify(limit)");
  auto modify = [queue = object_, limit] {
    vb_ibv_srq_attr attributes = {};
    attributes.srq_limit = static_cast<uint32_t>(limit);
    errno = 0;
    return CallError(queue->domain->device->fn().ibv_modify_srq(queue->srq, &attributes, VB_IBV_SRQ_LIMIT));
  };
  return ChangeOnPool(env, "ibv_modify_srq", std::move(modify), [] {});
}

Napi::Value VerbsSharedQueue::Query(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  return CallOnPool<vb_ibv_srq_attr>(
      env, "ibv_query_srq",
      [queue = object_](vb_ibv_srq_attr* attributes) {
        errno = 0;
        return CallError(queue->domain->device->fn().ibv_query_srq(queue->srq, attributes));
      },
      [](Napi::Env the_env, const vb_ibv_srq_attr& attributes) -> Napi::Value {
        Napi::Object out = Napi::Object::New(the_env);
        out.Set("maxWr", attributes.max_wr);
        out.Set("maxSge", attributes.max_sge);
        out.Set("limit", attributes.srq_limit);
        return out;
      });
}

}  // namespace verbena
