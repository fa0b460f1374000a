// Entry point of the addon. What it exports is declared in src/binding.ts and nowhere else.
#include <napi.h>

#include "channel-group.h"
#include "environment.h"
#include "front-end-binding.h"
#include "netlink-socket.h"
#include "process-binding.h"
#include "rds-binding.h"
#include "tcp-listener.h"
#include "tcp-stream.h"
#include "umad-binding.h"
#include "umad-port.h"
#include "verbs-binding.h"
#include "verbs-channel.h"
#include "verbs-completion-queue.h"
#include "verbs-context.h"
#include "verbs-domain.h"
#include "verbs-memory.h"
#include "verbs-queue-pair.h"
#include "verbs-shared-queue.h"
#include "verbs-work.h"

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
  environment.verbs_domain = Napi::Persistent(VerbsDomain::Define(env));
  environment.verbs_memory = Napi::Persistent(VerbsMemory::Define(env));
  environment.verbs_address_handle = Napi::Persistent(VerbsAddressHandle::Define(env));
  environment.verbs_channel = Napi::Persistent(VerbsChannel::Define(env));
  environment.verbs_completion_queue = Napi::Persistent(VerbsCompletionQueue::Define(env));
  environment.verbs_queue_pair = Napi::Persistent(VerbsQueuePair::Define(env));
  environment.verbs_shared_queue = Napi::Persistent(VerbsSharedQueue::Define(env));
  environment.verbs_prepared_work = Napi::Persistent(VerbsPreparedWork::Define(env));
  environment.channel_group = Napi::Persistent(ChannelGroup::Define(env));
  environment.netlink_socket = Napi::Persistent(NetlinkSocket::Define(env));
  environment.rds_socket = Napi::Persistent(RdsBinding::Define(env));
  environment.tcp_listener = Napi::Persistent(TcpListener::Define(env));
  environment.tcp_stream = Napi::Persistent(TcpStream::Define(env));
  environment.front_end = Napi::Persistent(FrontEndBinding::Define(env));
  exports.Set("openUmad", Napi::Function::New(env, UmadBinding::Open, "openUmad"));
  exports.Set("openVerbs", Napi::Function::New(env, VerbsBinding::Open, "openVerbs"));
  exports.Set("liveVerbsObjects", Napi::Function::New(env, VerbsBinding::LiveObjects, "liveVerbsObjects"));
  exports.Set("adoptChannel", Napi::Function::New(env, VerbsChannel::Adopt, "adoptChannel"));
  exports.Set("openChannelGroup", Napi::Function::New(env, ChannelGroup::Open, "openChannelGroup"));
  exports.Set("openNetlink", Napi::Function::New(env, NetlinkSocket::Open, "openNetlink"));
  exports.Set("adoptNetlink", Napi::Function::New(env, NetlinkSocket::Adopt, "adoptNetlink"));
  exports.Set("openRds", Napi::Function::New(env, RdsBinding::Open, "openRds"));
  exports.Set("duplicateRds", Napi::Function::New(env, RdsBinding::Duplicate, "duplicateRds"));
  exports.Set("listenTcp", Napi::Function::New(env, TcpListener::Listen, "listenTcp"));
  exports.Set("connectTcp", Napi::Function::New(env, TcpStream::Connect, "connectTcp"));
  exports.Set("openFrontEnd", Napi::Function::New(env, FrontEndBinding::Open, "openFrontEnd"));
  DefineProcessFunctions(env, exports);
#ifdef VERBENA_PLANT
  exports.Set("plantFault", Napi::Function::New(env, PlantFault, "plantFault"));
#endif
  return exports;
}

}  // namespace

NODE_API_MODULE(verbena_native, Init)
