#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "environment.h"
#include "js-callback.h"

namespace verbena {

// What the JavaScript objects of src/cc/verbs-*.h have in common: each owns a share of one object of rdma/objects.h and lets go of it at
// close, at the end of its environment, or when it is collected. `Self::Type(environment)` is its class.
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

  void CloseNow() override { object_.reset(); }

  Napi::Value Close(const Napi::CallbackInfo& info) {
    Leave();
    return info.Env().Undefined();
  }

 protected:
  // A class with a CloseNow of its own MUST call this in its destructor.
  void Leave() {
    if (object_ != nullptr) Environment::Of(this->Env()).Remove(this);
    CloseNow();
  }

  std::shared_ptr<T> object_;  // NULL once closed
};

}  // namespace verbena
