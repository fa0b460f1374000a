#pragma once

#include <errno.h>
#include <napi.h>

#include <utility>

#include "js-callback.h"

namespace verbena {

// A call into the library that may take its time (the kernel or the device has to answer), made on libuv's thread pool. Deletes itself.
//
// `Work` is `int(Result*)`, an errno or 0, and runs on the pool. `Finish` is `Napi::Value(Napi::Env, Result&)`, makes what the promise
// resolves with, and runs on the loop; not at all in an environment that is being terminated. Node waits for calls under way before an
// environment ends, so what they use is there until then.
template <typename Result, typename Work, typename Finish>
class PoolCall : public Napi::AsyncWorker {
 public:
  PoolCall(Napi::Env env, const char* syscall, Work work, Finish finish)
      : AsyncWorker(env, "verbena:verbs"),
        deferred_(Napi::Promise::Deferred::New(env)),
        syscall_(syscall),
        work_(std::move(work)),
        finish_(std::move(finish)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override { error_ = work_(&result_); }

  void OnOK() override {
    Napi::HandleScope scope(Env());
    if (!CanRunJs(Env())) return;
    if (error_ != 0) {
      deferred_.Reject(SystemError(Env(), error_, syscall_).Value());
      return;
    }
    const Napi::Value value = finish_(Env(), result_);
    // Empty: the environment is being terminated.
    if (!value.IsEmpty() && !Env().IsExceptionPending()) deferred_.Resolve(value);
  }

 private:
  Napi::Promise::Deferred deferred_;
  const char* const syscall_;
  Work work_;
  Finish finish_;
  int error_ = 0;
  Result result_ = {};
};

// A promise of what `finish` makes of the result of `work`; rejects with the errno of `syscall`.
template <typename Result, typename Work, typename Finish>
Napi::Value CallOnPool(Napi::Env env, const char* syscall, Work work, Finish finish) {
  auto* call = new PoolCall<Result, Work, Finish>(env, syscall, std::move(work), std::move(finish));
  const Napi::Promise promise = call->promise();
  call->Queue();
  return promise;
}

// The same for calls that give nothing but an errno: `work` is `int()`, `finish` is `void()`.
template <typename Work, typename Finish>
Napi::Value ChangeOnPool(Napi::Env env, const char* syscall, Work work, Finish finish) {
  return CallOnPool<int>(
      env, syscall, [work = std::move(work)](int*) mutable { return work(); },
      [finish = std::move(finish)](Napi::Env the_env, int&) mutable {
        finish();
        return the_env.Undefined();
      });
}

// The errno of a function of libibverbs, which returns it, or -1 and has set errno.
inline int CallError(int result) {
  if (result == 0) return 0;
  return result > 0 ? result : (errno != 0 ? errno : EIO);
}

}  // namespace verbena
