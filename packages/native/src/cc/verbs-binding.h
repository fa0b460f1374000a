#pragma once

#include <napi.h>

#include <memory>

#include "verbs-library.h"

namespace verbena {

// A loaded libibverbs: the `VerbsLibraryBinding` of src/binding.ts.
class VerbsBinding : public Napi::ObjectWrap<VerbsBinding> {
 public:
  static Napi::Function Define(Napi::Env env);
  // openVerbs(path)
  static Napi::Value Open(const Napi::CallbackInfo& info);
  // liveVerbsObjects(): objects of libibverbs that this process has, of each kind.
  static Napi::Value LiveObjects(const Napi::CallbackInfo& info);

  explicit VerbsBinding(const Napi::CallbackInfo& info);

 private:
  Napi::Value Devices(const Napi::CallbackInfo& info);
  Napi::Value OpenDevice(const Napi::CallbackInfo& info);

  std::shared_ptr<VerbsLibrary> library_;  // shared with the open contexts
};

}  // namespace verbena
