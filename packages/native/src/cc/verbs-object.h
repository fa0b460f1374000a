#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "environment.h"
#include "js-callback.h"
#include "pool-call.h"

namespace verbena {

// A promise of the JavaScript object of what `create` gives: `std::shared_ptr<T>(int* error)`, run on the thread pool.
template <typename Wrapper, typename T, typename Create>
Napi::Value CreateOnPool(Napi::Env env, const char* syscall, Create create) {
  return CallOnPool<std::shared_ptr<T>>(
      env, syscall,
      [create = std::move(create)](std::shared_ptr<T>* out) mutable {
        int error = 0;
        *out = create(&error);
        return *out != nullptr ? 0 : error;
      },
      [](Napi::Env the_env, std::shared_ptr<T>& created) { return Wrapper::Wrap(the_env, std::move(created)); });
}

// What the JavaScript objects of src/cc/verbs-*.h have in common: each owns a share of one object of rdma/objects.h and lets go of it at
// close (on the thread pool: the kernel has to destroy it), at the end of its environment, or when it is collected.
// `Self::Type(environment)` is its class.
template <typename Self, typename T>
class VerbsObject : public Napi::ObjectWrap<Self>, public Closable {
 public:
  static Napi::Value Wrap(Napi::Env env, std::shared_ptr<T> object) {
    Environment& environment = Environment::Of(env);
    return environment.New(Self::Type(environment), &object);
  }

  // NULL unless `value` is an open object of this class.
  static std::shared_ptr<T> ObjectOf(Napi::Env env, Napi::Value value) {
    if (!value.IsObject()) return nullptr;
    const auto object = value.As<Napi::Object>();
    if (!object.InstanceOf(Self::Type(Environment::Of(env)).Value())) return nullptr;
    const Self* self = Napi::ObjectWrap<Self>::Unwrap(object);
    return self != nullptr ? self->object_ : nullptr;
  }

  explicit VerbsObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Self>(info) {
    auto* seed = Environment::TakeSeed<std::shared_ptr<T>>(info.Env());
    if (seed == nullptr) return;
    object_ = std::move(*seed);
    Environment::Of(info.Env()).Add(this);
  }

  ~VerbsObject() override {
    if (object_ != nullptr) Environment::Of(this->Env()).Remove(this);
  }

  void CloseNow() override {
    Quiesce();
    object_.reset();
  }

  // close(): a promise, resolved once the object is destroyed or only somebody else's.
  Napi::Value Close(const Napi::CallbackInfo& info) {
    if (object_ != nullptr) {
      Environment::Of(info.Env()).Remove(this);
      Quiesce();
    }
    auto destroy = [object = std::move(object_)]() mutable {
      object.reset();
      return 0;
    };
    return ChangeOnPool(info.Env(), "close", std::move(destroy), [] {});
  }

 protected:
  // Lets go of everything but the object, on the loop. Idempotent.
  virtual void Quiesce() {}

  // A class with a Quiesce or CloseNow of its own MUST call this in its destructor.
  void Leave() {
    if (object_ != nullptr) Environment::Of(this->Env()).Remove(this);
    CloseNow();
  }

  std::shared_ptr<T> object_;  // NULL once closed
};

}  // namespace verbena
