#include "js-callback.h"

#include <errno.h>
#include <string.h>

namespace verbena {

void JsCallback::Call(Napi::Env env, const std::vector<napi_value>& arguments) const {
  if (function_.IsEmpty()) return;
  // The callback may drop the reference while it runs, so hold the function itself.
  const napi_value function = function_.Value();
  const napi_value receiver = env.Global();  // N-API wants an object
  napi_value ignored = nullptr;
  const napi_status status =
      napi_make_callback(env, nullptr, receiver, function, arguments.size(), arguments.data(), &ignored);
  if (status != napi_pending_exception) return;
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (!is_pending) return;
  napi_value error = nullptr;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

bool CanRunJs(Napi::Env env) {
  // Any call that may run JavaScript refuses then; this is the cheapest.
  bool is_equal = false;
  const napi_value undefined = env.Undefined();
  return napi_strict_equals(env, undefined, undefined, &is_equal) == napi_ok;
}

Napi::Error SystemError(Napi::Env env, int error, const std::string& syscall) {
  Napi::Error result = Napi::Error::New(env, syscall + ": " + strerror(error));
  result.Set("errno", Napi::Number::New(env, error));
  result.Set("syscall", Napi::String::New(env, syscall));
  if (const char* name = strerrorname_np(error)) result.Set("code", Napi::String::New(env, name));
  return result;
}

Napi::Error LoadError(Napi::Env env, const std::string& reason) {
  Napi::Error result = Napi::Error::New(env, reason);
  result.Set("syscall", Napi::String::New(env, "dlopen"));
  return result;
}

Napi::Value ThrowClosed(Napi::Env env) { return Throw(SystemError(env, EBADF, "closed")); }

}  // namespace verbena
