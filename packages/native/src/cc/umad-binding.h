#pragma once

#include <napi.h>

#include <memory>

#include "umad-library.h"

namespace verbena {

// A loaded libibumad: the `UmadLibraryBinding` of src/binding.ts.
class UmadBinding : public Napi::ObjectWrap<UmadBinding> {
 public:
  static Napi::Function Define(Napi::Env env);
  // openUmad(path)
  static Napi::Value Open(const Napi::CallbackInfo& info);

  explicit UmadBinding(const Napi::CallbackInfo& info);

 private:
  Napi::Value ListPorts(const Napi::CallbackInfo& info);
  Napi::Value QueryPort(const Napi::CallbackInfo& info);
  Napi::Value OpenPort(const Napi::CallbackInfo& info);
  void SetDebugLevel(const Napi::CallbackInfo& info);

  std::shared_ptr<UmadLibrary> library_;  // shared with the open ports
};

}  // namespace verbena
