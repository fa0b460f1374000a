#include "verbs-queue-pair.h"

#include <errno.h>

#include <utility>

#include "arguments.h"
#include "verbs-attributes.h"
#include "verbs-work.h"

namespace verbena {

Napi::Function VerbsQueuePair::Define(Napi::Env env) {
  return DefineClass(
      env, "QueuePairBinding",
      {InstanceMethod("describe", &VerbsQueuePair::Describe), InstanceMethod("modify", &VerbsQueuePair::Modify),
       InstanceMethod("query", &VerbsQueuePair::Query), InstanceMethod("postSend", &VerbsQueuePair::PostSend),
       InstanceMethod("postReceive", &VerbsQueuePair::PostReceive), InstanceMethod("prepare", &VerbsQueuePair::Prepare),
       InstanceMethod("credits", &VerbsQueuePair::Credits), InstanceMethod("attachMulticast", &VerbsQueuePair::Attach),
       InstanceMethod("detachMulticast", &VerbsQueuePair::Detach), InstanceMethod("close", &VerbsQueuePair::Close)});
}

void VerbsQueuePair::CloseNow() {
  for (const auto& weak : prepared_) {
    const auto prepared = weak.lock();
    if (prepared == nullptr) continue;
    prepared->pair.reset();
    prepared->batch.Clear();
  }
  prepared_.clear();
  // They own regions, and with these the device.
  sends_.Clear();
  receives_.Clear();
  object_.reset();
}

Napi::Value VerbsQueuePair::Describe(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  Napi::Object out = Napi::Object::New(env);
  out.Set("qpn", object_->qp->qp_num);
  out.Set("sendQueue", object_->sends->id());
  out.Set("receiveQueue", object_->receives->id());
  out.Set("maxSendWr", object_->cap.max_send_wr);
  out.Set("maxRecvWr", object_->cap.max_recv_wr);
  out.Set("maxSendSge", object_->cap.max_send_sge);
  out.Set("maxRecvSge", object_->cap.max_recv_sge);
  out.Set("maxInline", object_->cap.max_inline_data);
  return out;
}

// modify(mask, fields, dgid)
Napi::Value VerbsQueuePair::Modify(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int mask = 0;
  const uint32_t* fields = nullptr;
  vb_ibv_qp_attr attributes = {};
  if (!ReadInt(info, 0, 0, INT32_MAX, &mask) || !ReadFields(info[1], kPairFields, &fields) ||
      !ReadGid(info[2], &attributes.ah_attr.grh.dgid)) {
    return ThrowArguments(env, "modify(mask, fields, dgid)");
  }
  ReadPair(fields, &attributes);
  errno = 0;
  const int result = object_->domain->device->fn().ibv_modify_qp(object_->qp, &attributes, mask);
  if (result != 0) return Throw(SystemError(env, result > 0 ? result : (errno != 0 ? errno : EIO), "ibv_modify_qp"));
  // The queues were emptied, and nothing is told of what was in them.
  if ((mask & VB_IBV_QP_STATE) != 0 && attributes.qp_state == VB_IBV_QPS_RESET) {
    object_->sends->Reset();
    if (object_->setup.srq == nullptr) object_->receives->Reset();
  }
  return env.Undefined();
}

// query(mask): { fields, dgid }
Napi::Value VerbsQueuePair::Query(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int mask = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &mask)) return ThrowArguments(env, "query(mask)");
  vb_ibv_qp_attr attributes = {};
  vb_ibv_qp_init_attr init = {};
  errno = 0;
  const int result = object_->domain->device->fn().ibv_query_qp(object_->qp, &attributes, mask, &init);
  if (result != 0) return Throw(SystemError(env, result > 0 ? result : (errno != 0 ? errno : EIO), "ibv_query_qp"));
  auto fields = Napi::Uint32Array::New(env, kPairFields);
  WritePair(attributes, fields.Data());
  Napi::Object out = Napi::Object::New(env);
  out.Set("fields", fields);
  out.Set("dgid", Napi::Buffer<uint8_t>::Copy(env, attributes.ah_attr.grh.dgid.raw, sizeof attributes.ah_attr.grh.dgid.raw));
  return out;
}

Napi::Value VerbsQueuePair::PostSend(const Napi::CallbackInfo& info) {
  if (object_ == nullptr) return ThrowClosed(info.Env());
  if (!BuildWork(info, *object_->domain->device, &sends_)) return info.Env().Undefined();
  return WorkResult(info.Env(), sends_.Post(*object_), "ibv_post_send");
}

Napi::Value VerbsQueuePair::PostReceive(const Napi::CallbackInfo& info) {
  if (object_ == nullptr) return ThrowClosed(info.Env());
  if (!BuildWork(info, *object_->domain->device, &receives_)) return info.Env().Undefined();
  return WorkResult(info.Env(), receives_.Post(*object_), "ibv_post_recv");
}

// prepare(records, count, maxSegments, isSend)
Napi::Value VerbsQueuePair::Prepare(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  if (!info[3].IsBoolean()) return ThrowArguments(env, "prepare(records, count, maxSegments, isSend)");
  const auto kind = info[3].As<Napi::Boolean>().Value() ? WorkBatch::Kind::kSend : WorkBatch::Kind::kReceive;
  auto prepared = std::make_shared<PreparedBatch>(PreparedBatch{object_, WorkBatch(kind)});
  if (!BuildWork(info, *object_->domain->device, &prepared->batch)) return env.Undefined();
  std::erase_if(prepared_, [](const auto& weak) { return weak.expired(); });
  prepared_.push_back(prepared);
  return VerbsPreparedWork::Wrap(env, std::move(prepared));
}

// credits(isSend)
Napi::Value VerbsQueuePair::Credits(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  if (!info[0].IsBoolean()) return ThrowArguments(env, "credits(isSend)");
  const WorkLedger& ledger = info[0].As<Napi::Boolean>().Value() ? *object_->sends : *object_->receives;
  return Napi::Number::New(env, ledger.Credits());
}

Napi::Value VerbsQueuePair::Attach(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  vb_ibv_gid group;
  int lid = 0;
  if (!ReadGid(info[0], &group) || !ReadInt(info, 1, 0, 0xffff, &lid)) return ThrowArguments(env, "attachMulticast(gid, lid)");
  const int error = object_->Attach(group, static_cast<uint16_t>(lid));
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "ibv_attach_mcast"));
}

Napi::Value VerbsQueuePair::Detach(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  vb_ibv_gid group;
  int lid = 0;
  if (!ReadGid(info[0], &group) || !ReadInt(info, 1, 0, 0xffff, &lid)) return ThrowArguments(env, "detachMulticast(gid, lid)");
  const int error = object_->Detach(group, static_cast<uint16_t>(lid));
  return error == 0 ? env.Undefined() : Throw(SystemError(env, error, "ibv_detach_mcast"));
}

}  // namespace verbena
