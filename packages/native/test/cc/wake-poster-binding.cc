// The poster of wake-poster.h for JavaScript; loaded by bench/verbs-wake.mjs.
//   new WakePoster(library), qpn(), start(peer, count, intervalUs), join(): microseconds of processor time, close()
#include <napi.h>

#include <memory>

#include "wake-poster.h"

namespace {

class Poster : public Napi::ObjectWrap<Poster> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "WakePoster",
                       {InstanceMethod("qpn", &Poster::Number), InstanceMethod("start", &Poster::Start),
                        InstanceMethod("join", &Poster::Join), InstanceMethod("close", &Poster::Close)});
  }

  explicit Poster(const Napi::CallbackInfo& info)
      : ObjectWrap(info), poster_(std::make_unique<verbena::WakePoster>(info[0].As<Napi::String>().Utf8Value())) {}

 private:
  Napi::Value Number(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), poster_->qpn()); }

  Napi::Value Start(const Napi::CallbackInfo& info) {
    const auto number = [&](size_t i) { return info[i].As<Napi::Number>(); };
    poster_->Start(number(0).Uint32Value(), number(1).Int32Value(), number(2).Uint32Value());
    return info.Env().Undefined();
  }

  Napi::Value Join(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), poster_->Join()); }

  Napi::Value Close(const Napi::CallbackInfo& info) {
    poster_.reset();
    return info.Env().Undefined();
  }

  std::unique_ptr<verbena::WakePoster> poster_;
};

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("WakePoster", Poster::Define(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(wake_poster, Init)
