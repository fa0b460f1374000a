#include "environment.h"

namespace verbena {

void Teardown::HandleClosed() {
  handles_--;
  if (handles_ > 0 || hook_ == nullptr) return;
  napi_remove_async_cleanup_hook(hook_);
  hook_ = nullptr;
}

void Teardown::Begin(napi_async_cleanup_hook_handle hook) {
  if (handles_ > 0) {
    hook_ = hook;
  } else {
    napi_remove_async_cleanup_hook(hook);
  }
}

Environment* Environment::Create(Napi::Env env) {
  auto* self = new Environment(env);
  env.SetInstanceData(self);
  return self;
}

Environment& Environment::Of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }

Environment::Environment(Napi::Env env) : teardown_(std::make_shared<Teardown>()) {
  napi_get_uv_event_loop(env, &loop_);
  // Registered after the environment's own hook and so run before it, while references may still be deleted.
  napi_add_async_cleanup_hook(env, OnCleanup, this, nullptr);
}

Environment::~Environment() { CloseAll(); }

void Environment::OnCleanup(napi_async_cleanup_hook_handle hook, void* self) {
  auto* environment = static_cast<Environment*>(self);
  environment->CloseAll();
  environment->teardown_->Begin(hook);
}

void Environment::CloseAll() {
  while (!open_.empty()) {
    Closable* closable = *open_.begin();
    open_.erase(open_.begin());
    closable->CloseNow();
  }
}

}  // namespace verbena
