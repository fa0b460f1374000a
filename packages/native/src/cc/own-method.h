#pragma once

#include <napi.h>

namespace verbena {

// A method of one object alone, for what is called once or more for each message: the function carries its object, which the methods of a
// class must look up behind `this` at each call. It keeps the object alive, so one that was taken out of it still finds it.
//
// `Self` is an ObjectWrap; `method` gets the raw arguments and returns NULL for `undefined`.
template <typename Self, napi_value (Self::*method)(napi_env, napi_callback_info)>
void DefineOwnMethod(const Napi::CallbackInfo& info, const char* name, Self* self) {
  const napi_env env = info.Env();
  const napi_callback call = [](napi_env the_env, napi_callback_info arguments) -> napi_value {
    void* owner = nullptr;
    if (napi_get_cb_info(the_env, arguments, nullptr, nullptr, nullptr, &owner) != napi_ok) return nullptr;
    return (static_cast<Self*>(owner)->*method)(the_env, arguments);
  };
  napi_value function = nullptr;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, self, &function) != napi_ok) return;
  napi_property_descriptor owner = {};
  owner.utf8name = "owner";
  owner.value = info.This();
  napi_property_descriptor member = {};
  member.utf8name = name;
  member.value = function;
  if (napi_define_properties(env, function, 1, &owner) == napi_ok) napi_define_properties(env, info.This(), 1, &member);
}

}  // namespace verbena
