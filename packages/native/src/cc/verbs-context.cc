#include "verbs-context.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <string>
#include <utility>

#include "arguments.h"
#include "pool-call.h"
#include "verbs-channel.h"
#include "verbs-completion-queue.h"
#include "verbs-domain.h"

namespace verbena {
namespace {

// What an event is about, by a number that outlives the object: QPN, number of a queue, port.
uint32_t Subject(const vb_ibv_async_event& event) {
  switch (event.event_type) {
    case VB_IBV_EVENT_QP_FATAL:
    case VB_IBV_EVENT_QP_REQ_ERR:
    case VB_IBV_EVENT_QP_ACCESS_ERR:
    case VB_IBV_EVENT_COMM_EST:
    case VB_IBV_EVENT_SQ_DRAINED:
    case VB_IBV_EVENT_PATH_MIG:
    case VB_IBV_EVENT_PATH_MIG_ERR:
    case VB_IBV_EVENT_QP_LAST_WQE_REACHED:
      return static_cast<vb_ibv_qp*>(event.element.object)->qp_num;
    case VB_IBV_EVENT_CQ_ERR:
      return static_cast<CompletionQueue*>(static_cast<vb_ibv_cq*>(event.element.object)->cq_context)->id;
    case VB_IBV_EVENT_SRQ_ERR:
    case VB_IBV_EVENT_SRQ_LIMIT_REACHED:
      return static_cast<SharedReceiveQueue*>(static_cast<vb_ibv_srq*>(event.element.object)->srq_context)->id;
    case VB_IBV_EVENT_PORT_ACTIVE:
    case VB_IBV_EVENT_PORT_ERR:
    case VB_IBV_EVENT_LID_CHANGE:
    case VB_IBV_EVENT_PKEY_CHANGE:
    case VB_IBV_EVENT_SM_CHANGE:
    case VB_IBV_EVENT_CLIENT_REREGISTER:
    case VB_IBV_EVENT_GID_CHANGE:
      return static_cast<uint32_t>(event.element.port_num);
    default:
      return 0;
  }
}

int SavedErrno(int result) { return result > 0 ? result : (errno != 0 ? errno : EIO); }

}  // namespace

Napi::Function VerbsContext::Define(Napi::Env env) {
  return DefineClass(
      env, "VerbsContextBinding",
      {InstanceMethod("limits", &VerbsContext::Limits), InstanceMethod("createProtectionDomain", &VerbsContext::CreateDomain),
       InstanceMethod("createCompletionChannel", &VerbsContext::CreateChannel),
       InstanceMethod("createCompletionQueue", &VerbsContext::CreateQueue),
       InstanceMethod("queryDevice", &VerbsContext::QueryDevice), InstanceMethod("queryPort", &VerbsContext::QueryPort),
       InstanceMethod("gids", &VerbsContext::Gids), InstanceMethod("pkeys", &VerbsContext::Pkeys),
       InstanceMethod("start", &VerbsContext::Start), InstanceMethod("setReading", &VerbsContext::SetReading),
       InstanceMethod("close", &VerbsContext::Close)});
}

Napi::Value VerbsContext::Create(Napi::Env env, const std::shared_ptr<VerbsLibrary>& library, vb_ibv_context* context) {
  auto device = std::make_shared<Device>(library, context);
  return Environment::Of(env).New(Environment::Of(env).verbs_context, &device);
}

VerbsContext::VerbsContext(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  auto* seed = Environment::TakeSeed<std::shared_ptr<Device>>(info.Env());
  if (seed == nullptr) return;
  device_ = std::move(*seed);
  Environment::Of(info.Env()).Add(this);
}

VerbsContext::~VerbsContext() {
  if (device_ != nullptr) Environment::Of(Env()).Remove(this);
  CloseNow();
}

void VerbsContext::CloseNow() {
  if (device_ == nullptr) return;
  on_events_.Reset();
  watch_.Reset();
  device_.reset();
}

bool VerbsContext::CanCreate(Napi::Env env) {
  if (device_ == nullptr) {
    ThrowClosed(env);
    return false;
  }
  const char* missing = device_->library().MissingDataFunction();
  if (missing != nullptr) SystemError(env, ENOSYS, missing).ThrowAsJavaScriptException();
  return missing == nullptr;
}

Napi::Value VerbsContext::CreateDomain(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!CanCreate(env)) return env.Undefined();
  return CreateOnPool<VerbsDomain, ProtectionDomain>(
      env, "ibv_alloc_pd", [device = device_](int* error) { return ProtectionDomain::Create(device, error); });
}

Napi::Value VerbsContext::CreateChannel(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!CanCreate(env)) return env.Undefined();
  return CreateOnPool<VerbsChannel, CompletionChannel>(
      env, "ibv_create_comp_channel", [device = device_](int* error) { return CompletionChannel::Create(device, error); });
}

// createCompletionQueue(depth, channel | undefined, vector)
Napi::Value VerbsContext::CreateQueue(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (!CanCreate(env)) return env.Undefined();
  int depth = 0, vector = 0;
  if (!ReadInt(info, 0, 1, INT32_MAX, &depth) || !ReadInt(info, 2, 0, INT32_MAX, &vector)) {
    return ThrowArguments(env, "createCompletionQueue(depth, channel | undefined, vector)");
  }
  auto channel = VerbsChannel::ObjectOf(env, info[1]);
  if (env.IsExceptionPending()) return env.Undefined();
  if ((channel == nullptr && !info[1].IsUndefined()) || (channel != nullptr && channel->device != device_)) {
    return ThrowArguments(env, "createCompletionQueue: an open channel of this device");
  }
  auto create = [device = device_, channel = std::move(channel), depth, vector](int* error) {
    return CompletionQueue::Create(device, channel, depth, vector, error);
  };
  return CreateOnPool<VerbsCompletionQueue, CompletionQueue>(env, "ibv_create_cq", std::move(create));
}

Napi::Value VerbsContext::Limits(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  vb_ibv_device_attr attr = {};
  errno = 0;
  if (const int result = device_->fn().ibv_query_device(device_->context(), &attr)) {
    return Throw(SystemError(env, SavedErrno(result), "ibv_query_device"));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("numCompVectors", device_->context()->num_comp_vectors);
  out.Set("maxQp", attr.max_qp);
  out.Set("maxQpWr", attr.max_qp_wr);
  out.Set("maxSge", attr.max_sge);
  out.Set("maxCq", attr.max_cq);
  out.Set("maxCqe", attr.max_cqe);
  out.Set("maxMr", attr.max_mr);
  out.Set("maxMrSize", Napi::BigInt::New(env, attr.max_mr_size));
  out.Set("maxPd", attr.max_pd);
  out.Set("maxSrq", attr.max_srq);
  out.Set("maxSrqWr", attr.max_srq_wr);
  out.Set("maxSrqSge", attr.max_srq_sge);
  out.Set("maxQpRdAtom", attr.max_qp_rd_atom);
  out.Set("maxMcastGrp", attr.max_mcast_grp);
  out.Set("atomicCap", attr.atomic_cap);
  return out;
}

Napi::Value VerbsContext::QueryDevice(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  vb_ibv_device_attr attr = {};
  errno = 0;
  if (const int result = device_->fn().ibv_query_device(device_->context(), &attr)) {
    return Throw(SystemError(env, SavedErrno(result), "ibv_query_device"));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("nodeGuid", Napi::BigInt::New(env, uint64_t{be64toh(attr.be_node_guid)}));
  out.Set("sysImageGuid", Napi::BigInt::New(env, uint64_t{be64toh(attr.be_sys_image_guid)}));
  out.Set("firmware", std::string(attr.fw_ver, strnlen(attr.fw_ver, sizeof attr.fw_ver)));
  out.Set("vendorId", attr.vendor_id);
  out.Set("vendorPartId", attr.vendor_part_id);
  out.Set("portCount", uint32_t{attr.phys_port_cnt});
  out.Set("maxPkeys", uint32_t{attr.max_pkeys});
  return out;
}

Napi::Value VerbsContext::QueryPort(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  int port = 0;
  if (!ReadInt(info, 0, 0, 255, &port)) return ThrowArguments(env, "queryPort(port)");
  vb_ibv_port_attr attr;
  if (const int error = device_->library().QueryPort(device_->context(), static_cast<uint8_t>(port), &attr)) {
    return Throw(SystemError(env, error, "ibv_query_port"));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("state", attr.state);
  out.Set("physState", uint32_t{attr.phys_state});
  out.Set("maxMtu", attr.max_mtu);
  out.Set("activeMtu", attr.active_mtu);
  out.Set("gidTableLength", attr.gid_tbl_len);
  out.Set("pkeyTableLength", uint32_t{attr.pkey_tbl_len});
  out.Set("lid", uint32_t{attr.lid});
  out.Set("lmc", uint32_t{attr.lmc});
  out.Set("smLid", uint32_t{attr.sm_lid});
  out.Set("smSl", uint32_t{attr.sm_sl});
  out.Set("subnetTimeout", uint32_t{attr.subnet_timeout});
  out.Set("activeWidth", uint32_t{attr.active_width});
  // The old field has a byte, and says NDR of all that is faster.
  out.Set("activeSpeed", attr.active_speed_ex != 0 ? attr.active_speed_ex : uint32_t{attr.active_speed});
  out.Set("capabilityMask", attr.port_cap_flags);
  out.Set("linkLayer", uint32_t{attr.link_layer});
  return out;
}

// The table as one buffer of 16 bytes an entry. An entry that the library cannot read (on Ethernet ports: one that is not in use) is
// left zero.
Napi::Value VerbsContext::Gids(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  int port = 0;
  if (!ReadInt(info, 0, 0, 255, &port)) return ThrowArguments(env, "gids(port)");
  vb_ibv_port_attr attr;
  if (const int error = device_->library().QueryPort(device_->context(), static_cast<uint8_t>(port), &attr)) {
    return Throw(SystemError(env, error, "ibv_query_port"));
  }
  const size_t count = attr.gid_tbl_len > 0 ? static_cast<size_t>(attr.gid_tbl_len) : 0;
  auto out = Napi::Buffer<uint8_t>::New(env, count * 16);
  memset(out.Data(), 0, out.Length());
  for (size_t i = 0; i < count; i++) {
    vb_ibv_gid gid = {};
    if (device_->fn().ibv_query_gid(device_->context(), static_cast<uint8_t>(port), static_cast<int>(i), &gid) != 0) continue;
    memcpy(out.Data() + i * 16, gid.raw, 16);
  }
  return out;
}

Napi::Value VerbsContext::Pkeys(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  int port = 0;
  if (!ReadInt(info, 0, 0, 255, &port)) return ThrowArguments(env, "pkeys(port)");
  vb_ibv_port_attr attr;
  if (const int error = device_->library().QueryPort(device_->context(), static_cast<uint8_t>(port), &attr)) {
    return Throw(SystemError(env, error, "ibv_query_port"));
  }
  Napi::Array out = Napi::Array::New(env, attr.pkey_tbl_len);
  for (int i = 0; i < attr.pkey_tbl_len; i++) {
    uint16_t be_pkey = 0;
    errno = 0;
    if (const int result = device_->fn().ibv_query_pkey(device_->context(), static_cast<uint8_t>(port), i, &be_pkey)) {
      return Throw(SystemError(env, SavedErrno(result), "ibv_query_pkey"));
    }
    out.Set(static_cast<uint32_t>(i), uint32_t{be16toh(be_pkey)});
  }
  return out;
}

Napi::Value VerbsContext::Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (device_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsFunction() || !info[1].IsFunction()) return ThrowArguments(env, "start(onEvents, onFailure)");
  // The library reads events with a blocking read; on a non-blocking descriptor it gives EAGAIN instead.
  const int flags = fcntl(device_->context()->async_fd, F_GETFL);
  if (flags < 0 || fcntl(device_->context()->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) return Throw(SystemError(env, errno, "fcntl"));
  watch_.Start(env, device_->context()->async_fd, info[1], [this](int failure) { OnReady(failure); });
  if (!env.IsExceptionPending()) on_events_ = JsCallback(info[0].As<Napi::Function>());
  return env.Undefined();
}

Napi::Value VerbsContext::SetReading(const Napi::CallbackInfo& info) { return watch_.SetReading(info); }

void VerbsContext::OnReady(int error) {
  if (device_ == nullptr) return;
  Napi::Env env = Env();
  Napi::HandleScope scope(env);
  if (!CanRunJs(env)) return;
  if (error != 0) return watch_.Fail(env, error, "poll");
  Napi::Array events = Napi::Array::New(env);
  uint32_t count = 0;
  int failure = 0;
  for (int i = 0; i < kMaxEvents; i++) {
    vb_ibv_async_event event = {};
    errno = 0;
    if (device_->fn().ibv_get_async_event(device_->context(), &event) != 0) {
      failure = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : (errno != 0 ? errno : EIO);
      break;
    }
    events.Set(count++, event.event_type);
    events.Set(count++, Subject(event));
    // Acknowledged once copied: nothing of ours waits on an event, and whoever destroys a queue waits for its acknowledgement.
    device_->fn().ibv_ack_async_event(&event);
  }
  if (count > 0) {
    Ref();
    on_events_.Call(env, {events});
    Unref();
  }
  if (failure != 0 && device_ != nullptr) watch_.Fail(env, failure, "ibv_get_async_event");
}

Napi::Value VerbsContext::Close(const Napi::CallbackInfo& info) {
  if (device_ != nullptr) Environment::Of(info.Env()).Remove(this);
  on_events_.Reset();
  watch_.Reset();
  auto close = [device = std::move(device_)]() mutable {
    device.reset();
    return 0;
  };
  return ChangeOnPool(info.Env(), "ibv_close_device", std::move(close), [] {});
}

}  // namespace verbena
