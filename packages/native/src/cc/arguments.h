#pragma once

#include <napi.h>

#include <cmath>

namespace verbena {

// Reads argument `index` as an integer of min..max; false for anything else. TypeScript has checked already; this only keeps a caller
// that bypasses it from reaching C with nonsense.
inline bool ReadInt(const Napi::CallbackInfo& info, size_t index, double min, double max, int* out) {
  if (!info[index].IsNumber()) return false;
  const double value = info[index].As<Napi::Number>().DoubleValue();
  if (!(value >= min && value <= max) || value != std::floor(value)) return false;
  *out = static_cast<int>(value);
  return true;
}

inline Napi::Value ThrowArguments(Napi::Env env, const char* usage) {
  Napi::TypeError::New(env, usage).ThrowAsJavaScriptException();
  return env.Undefined();
}

}  // namespace verbena
