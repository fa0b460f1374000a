#include "verbs-queue-pair.h"

#include <errno.h>

#include <utility>

#include "arguments.h"
#include "pool-call.h"
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

void VerbsQueuePair::Quiesce() {
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

// modify(mask, fields, dgid): a promise
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
  const bool is_reset = (mask & VB_IBV_QP_STATE) != 0 && attributes.qp_state == VB_IBV_QPS_RESET;
  return ChangeOnPool(
      env, "ibv_modify_qp",
      [pair = object_, attributes, mask]() mutable {
        errno = 0;
        return CallError(pair->domain->device->fn().ibv_modify_qp(pair->qp, &attributes, mask));
      },
      [pair = object_, is_reset] {
        if (!is_reset) return;
        // The queues were emptied, and nothing is told of what was in them.
        pair->sends->Reset();
        if (pair->setup.srq == nullptr) pair->receives->Reset();
      });
}

// query(mask): a promise of { fields, dgid }
Napi::Value VerbsQueuePair::Query(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  int mask = 0;
  if (!ReadInt(info, 0, 0, INT32_MAX, &mask)) return ThrowArguments(env, "query(mask)");
  return CallOnPool<vb_ibv_qp_attr>(
      env, "ibv_query_qp",
      [pair = object_, mask](vb_ibv_qp_attr* attributes) {
        vb_ibv_qp_init_attr init = {};
        errno = 0;
        return CallError(pair->domain->device->fn().ibv_query_qp(pair->qp, attributes, mask, &init));
      },
      [](Napi::Env the_env, const vb_ibv_qp_attr& attributes) -> Napi::Value {
        auto fields = Napi::Uint32Array::New(the_env, kPairFields);
        WritePair(attributes, fields.Data());
        const auto& dgid = attributes.ah_attr.grh.dgid.raw;
        Napi::Object out = Napi::Object::New(the_env);
        out.Set("fields", fields);
        out.Set("dgid", Napi::Buffer<uint8_t>::Copy(the_env, dgid, sizeof dgid));
        return out;
      });
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
  auto attach = [pair = object_, group, lid] { return pair->Attach(group, static_cast<uint16_t>(lid)); };
  return ChangeOnPool(env, "ibv_attach_mcast", std::move(attach), [] {});
}

Napi::Value VerbsQueuePair::Detach(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  vb_ibv_gid group;
  int lid = 0;
  if (!ReadGid(info[0], &group) || !ReadInt(info, 1, 0, 0xffff, &lid)) return ThrowArguments(env, "detachMulticast(gid, lid)");
  auto detach = [pair = object_, group, lid] { return pair->Detach(group, static_cast<uint16_t>(lid)); };
  return ChangeOnPool(env, "ibv_detach_mcast", std::move(detach), [] {});
}

}  // namespace verbena
