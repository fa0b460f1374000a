#include "verbs-channel.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "arguments.h"
#include "rdma/shared-channels.h"
#include "verbs-completion-queue.h"

namespace verbena {

Napi::Function VerbsChannel::Define(Napi::Env env) {
  return DefineClass(
      env, "CompletionChannelBinding",
      {InstanceMethod("fd", &VerbsChannel::Descriptor), InstanceMethod("tryRead", &VerbsChannel::TryRead),
       InstanceMethod("start", &VerbsChannel::Start), InstanceMethod("setReading", &VerbsChannel::SetReading),
       InstanceMethod("share", &VerbsChannel::Share), InstanceMethod("queue", &VerbsChannel::Queue),
       InstanceMethod("close", &VerbsChannel::Close)});
}

Napi::Value VerbsChannel::Adopt(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  int token = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &token)) return ThrowArguments(env, "adoptChannel(token)");
  auto channel = FindSharedChannel(static_cast<uint32_t>(token));
  return channel != nullptr ? Wrap(env, std::move(channel)) : env.Undefined();
}

void VerbsChannel::Quiesce() {
  on_events_.Reset();
  watch_.Reset();
}

Napi::Value VerbsChannel::Descriptor(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? Napi::Number::New(info.Env(), object_->channel->fd) : ThrowClosed(info.Env());
}

int VerbsChannel::Read(int max, std::vector<napi_value>* queues) {
  for (int i = 0; i < max; i++) {
    std::shared_ptr<CompletionQueue> queue;
    const int error = object_->Read(&queue);
    if (error != 0) return error == EAGAIN ? 0 : error;
    if (queue != nullptr) queues->push_back(Napi::Number::New(Env(), queue->id));
  }
  return 0;
}

// tryRead(max): numbers of the queues of which there was an event.
Napi::Value VerbsChannel::TryRead(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int max = 0;
  if (!ReadInt(info, 0, 1, 0xffff, &max)) return ThrowArguments(env, "tryRead(max)");
  std::vector<napi_value> queues;
  const int error = Read(max, &queues);
  // What has been read is not lost: the failure shows again.
  if (error != 0 && queues.empty()) return Throw(SystemError(env, error, "ibv_get_cq_event"));
  Napi::Array out = Napi::Array::New(env, queues.size());
  for (uint32_t i = 0; i < queues.size(); i++) out.Set(i, queues[i]);
  return out;
}

Napi::Value VerbsChannel::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onEvents, onFailure)");
  watch_.Start(env, object_->channel->fd, info[1], [this](int failure) { OnReady(failure); });
  if (!env.IsExceptionPending()) on_events_ = JsCallback(info[0].As<Napi::Function>());
  return env.Undefined();
}

Napi::Value VerbsChannel::SetReading(const Napi::CallbackInfo& info) { return watch_.SetReading(info); }

Napi::Value VerbsChannel::Share(const Napi::CallbackInfo& info) {
  return object_ != nullptr ? Napi::Number::New(info.Env(), ShareChannel(object_)) : ThrowClosed(info.Env());
}

// queue(id): a queue of this channel, or undefined if it is closed.
Napi::Value VerbsChannel::Queue(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int id = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &id)) return ThrowArguments(env, "queue(id)");
  auto queue = object_->device->completion_queues.Find(static_cast<uint32_t>(id));
  if (queue == nullptr || queue->channel != object_) return env.Undefined();
  return VerbsCompletionQueue::Wrap(env, std::move(queue));
}

void VerbsChannel::OnReady(int error) {
  if (object_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  // The loop calls POLLERR EBADF; reading says what it is. A kernel's channel whose device has gone gives EIO.
  std::vector<napi_value> queues;
  // A queue raises no second event before it is armed again, so the look that finds the channel empty can be saved.
  const int failure = Read(std::clamp(object_->queue_count.load(), 1, kMaxEvents), &queues);
  Ref();
  if (!queues.empty()) on_events_.Call(env, queues);
  if (failure != 0 && object_ != nullptr) {
    watch_.Fail(env, failure, "ibv_get_cq_event");
  } else if (error != 0 && object_ != nullptr) {
    watch_.Fail(env, error, "poll");
  }
  Unref();
}

}  // namespace verbena
