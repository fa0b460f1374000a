#pragma once

#include <napi.h>

#include <memory>
#include <set>
#include <utility>

#include "uv-abi.h"

namespace verbena {

// Something that holds loop handles, descriptors or threads and must let go of them when its environment ends.
class Closable {
 public:
  virtual ~Closable() = default;
  // Releases everything at once, without calling into JavaScript. MUST be idempotent.
  virtual void CloseNow() = 0;
};

// Counts the loop handles of one environment and holds its end back until libuv has let go of the last one. Outlives the environment:
// the close callbacks of libuv hold a share of it.
class Teardown {
 public:
  void HandleOpened() { handles_++; }
  void HandleClosed();
  // `hook` is given back as soon as no handle is left, perhaps at once.
  void Begin(napi_async_cleanup_hook_handle hook);

 private:
  int handles_ = 0;
  napi_async_cleanup_hook_handle hook_ = nullptr;
};

// All native state of one environment (the main thread's, or a worker's): there is no other mutable state in the addon.
class Environment {
 public:
  // Made once for each environment, when it loads the addon.
  static Environment* Create(Napi::Env env);
  static Environment& Of(Napi::Env env);
  ~Environment();

  uv_loop_s* loop() const { return loop_; }
  const std::shared_ptr<Teardown>& teardown() const { return teardown_; }

  void Add(Closable* closable) { open_.insert(closable); }
  void Remove(Closable* closable) { open_.erase(closable); }

  // Makes an object of one of the classes below around `seed`, which its constructor takes by TakeSeed. JavaScript, which can reach the
  // constructors, has no seed to give. (An External would do the same, but Node never frees those that are alive at exit.)
  template <typename Seed>
  Napi::Value New(const Napi::FunctionReference& type, Seed* seed) {
    seed_ = seed;
    const Napi::Value object = type.New({});
    seed_ = nullptr;
    return object;
  }
  // NULL, with a TypeError pending, for a constructor that JavaScript has called.
  template <typename Seed>
  static Seed* TakeSeed(Napi::Env env) {
    void* seed = std::exchange(Of(env).seed_, nullptr);
    if (seed == nullptr) Napi::TypeError::New(env, "objects of this class are made by the addon only").ThrowAsJavaScriptException();
    return static_cast<Seed*>(seed);
  }

  // Classes of the objects that the addon hands out.
  Napi::FunctionReference umad_library;
  Napi::FunctionReference umad_port;
  Napi::FunctionReference verbs_library;
  Napi::FunctionReference verbs_context;
  Napi::FunctionReference verbs_domain;
  Napi::FunctionReference verbs_memory;
  Napi::FunctionReference verbs_address_handle;
  Napi::FunctionReference verbs_channel;
  Napi::FunctionReference verbs_completion_queue;
  Napi::FunctionReference verbs_queue_pair;
  Napi::FunctionReference verbs_shared_queue;
  Napi::FunctionReference verbs_prepared_work;
  Napi::FunctionReference channel_group;
  Napi::FunctionReference netlink_socket;
  Napi::FunctionReference rds_socket;
  Napi::FunctionReference tcp_listener;
  Napi::FunctionReference tcp_stream;
  Napi::FunctionReference front_end;

 private:
  explicit Environment(Napi::Env env);
  static void OnCleanup(napi_async_cleanup_hook_handle hook, void* self);
  void CloseAll();

  uv_loop_s* loop_ = nullptr;
  std::shared_ptr<Teardown> teardown_;
  std::set<Closable*> open_;
  void* seed_ = nullptr;
};

}  // namespace verbena
