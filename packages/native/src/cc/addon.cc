// Entry point of the addon. What it exports is declared in src/binding.ts and nowhere else.
#include <napi.h>

#include "environment.h"
#include "netlink-socket.h"
#include "process-binding.h"
#include "umad-binding.h"
#include "umad-port.h"
#include "verbs-binding.h"
#include "verbs-context.h"

#ifdef VERBENA_PLANT
namespace verbena {
Napi::Value PlantFault(const Napi::CallbackInfo& info);
}
#endif

namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  using namespace verbena;
  Environment& environment = *Environment::Create(env);
  environment.umad_library = Napi::Persistent(UmadBinding::Define(env));
  environment.umad_port = Napi::Persistent(UmadPort::Define(env));
  environment.verbs_library = Napi::Persistent(VerbsBinding::Define(env));
  environment.verbs_context = Napi::Persistent(VerbsContext::Define(env));
  environment.netlink_socket = Napi::Persistent(NetlinkSocket::Define(env));
  exports.Set("openUmad", Napi::Function::New(env, UmadBinding::Open, "openUmad"));
  exports.Set("openVerbs", Napi::Function::New(env, VerbsBinding::Open, "openVerbs"));
  exports.Set("openNetlink", Napi::Function::New(env, NetlinkSocket::Open, "openNetlink"));
  exports.Set("adoptNetlink", Napi::Function::New(env, NetlinkSocket::Adopt, "adoptNetlink"));
  DefineProcessFunctions(env, exports);
#ifdef VERBENA_PLANT
  exports.Set("plantFault", Napi::Function::New(env, PlantFault, "plantFault"));
#endif
  return exports;
}

}  // namespace

NODE_API_MODULE(verbena_native, Init)
