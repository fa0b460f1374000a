#pragma once

#include <napi.h>

#include <string>
#include <vector>

namespace verbena {

// A JavaScript function called from an event of the loop. Loop thread only.
class JsCallback {
 public:
  JsCallback() = default;
  explicit JsCallback(const Napi::Function& function) : function_(Napi::Persistent(function)) {}

  // Does nothing if empty or if the environment no longer runs JavaScript. What the function throws becomes an uncaught exception, as
  // from any other callback. The function may end the object that owns this callback.
  void Call(Napi::Env env, const std::vector<napi_value>& arguments) const;
  void Reset() { function_.Reset(); }

 private:
  Napi::FunctionReference function_;
};

// False in an environment that is being terminated: nothing can be created or called there. To be asked first in every event of the loop.
bool CanRunJs(Napi::Env env);

// Error of a failed system or library call: `errno` (positive), `syscall` and the name of the errno as `code`.
Napi::Error SystemError(Napi::Env env, int error, const std::string& syscall);
// Error of a library that cannot be loaded: the loader's words.
Napi::Error LoadError(Napi::Env env, const std::string& reason);

// Throws into JavaScript and gives the value to return.
inline Napi::Value Throw(const Napi::Error& error) {
  error.ThrowAsJavaScriptException();
  return error.Env().Undefined();
}

// The methods of one closed object all fail alike; TypeScript turns this into its own coded error.
Napi::Value ThrowClosed(Napi::Env env);

}  // namespace verbena
