#include "verbs-attributes.h"

#include <string.h>

namespace verbena {
namespace {

constexpr size_t kAddressAt = 19;
constexpr size_t kCapAt = 29;

void WriteAddress(const vb_ibv_ah_attr& from, uint32_t* fields) {
  const uint32_t values[kAddressFields] = {from.is_global,    from.dlid,           from.sl,
                                           from.src_path_bits, from.static_rate,    from.port_num,
                                           from.grh.flow_label, from.grh.sgid_index, from.grh.hop_limit,
                                           from.grh.traffic_class};
  memcpy(fields, values, sizeof values);
}

}  // namespace

bool ReadFields(const Napi::Value& value, size_t count, const uint32_t** fields) {
  if (!value.IsTypedArray()) return false;
  const auto array = value.As<Napi::Uint32Array>();
  if (array.TypedArrayType() != napi_uint32_array || array.ElementLength() != count) return false;
  *fields = array.Data();
  return true;
}

bool ReadGid(const Napi::Value& value, vb_ibv_gid* out) {
  if (!value.IsTypedArray()) return false;
  const auto array = value.As<Napi::Uint8Array>();
  if (array.TypedArrayType() != napi_uint8_array || array.ElementLength() != sizeof out->raw) return false;
  memcpy(out->raw, array.Data(), sizeof out->raw);
  return true;
}

void ReadAddress(const uint32_t* fields, vb_ibv_ah_attr* out) {
  out->is_global = static_cast<uint8_t>(fields[0]);
  out->dlid = static_cast<uint16_t>(fields[1]);
  out->sl = static_cast<uint8_t>(fields[2]);
  out->src_path_bits = static_cast<uint8_t>(fields[3]);
  out->static_rate = static_cast<uint8_t>(fields[4]);
  out->port_num = static_cast<uint8_t>(fields[5]);
  out->grh.flow_label = fields[6];
  out->grh.sgid_index = static_cast<uint8_t>(fields[7]);
  out->grh.hop_limit = static_cast<uint8_t>(fields[8]);
  out->grh.traffic_class = static_cast<uint8_t>(fields[9]);
}

void ReadPair(const uint32_t* fields, vb_ibv_qp_attr* out) {
  out->qp_state = static_cast<int>(fields[0]);
  out->cur_qp_state = static_cast<int>(fields[1]);
  out->path_mtu = static_cast<int>(fields[2]);
  out->path_mig_state = static_cast<int>(fields[3]);
  out->qkey = fields[4];
  out->rq_psn = fields[5];
  out->sq_psn = fields[6];
  out->dest_qp_num = fields[7];
  out->qp_access_flags = fields[8];
  out->pkey_index = static_cast<uint16_t>(fields[9]);
  out->en_sqd_async_notify = static_cast<uint8_t>(fields[10]);
  out->max_rd_atomic = static_cast<uint8_t>(fields[12]);
  out->max_dest_rd_atomic = static_cast<uint8_t>(fields[13]);
  out->min_rnr_timer = static_cast<uint8_t>(fields[14]);
  out->port_num = static_cast<uint8_t>(fields[15]);
  out->timeout = static_cast<uint8_t>(fields[16]);
  out->retry_cnt = static_cast<uint8_t>(fields[17]);
  out->rnr_retry = static_cast<uint8_t>(fields[18]);
  ReadAddress(fields + kAddressAt, &out->ah_attr);
}

void WritePair(const vb_ibv_qp_attr& from, uint32_t* fields) {
  const uint32_t values[kAddressAt] = {static_cast<uint32_t>(from.qp_state),
                                       static_cast<uint32_t>(from.cur_qp_state),
                                       static_cast<uint32_t>(from.path_mtu),
                                       static_cast<uint32_t>(from.path_mig_state),
                                       from.qkey,
                                       from.rq_psn,
                                       from.sq_psn,
                                       from.dest_qp_num,
                                       from.qp_access_flags,
                                       from.pkey_index,
                                       from.en_sqd_async_notify,
                                       from.sq_draining,
                                       from.max_rd_atomic,
                                       from.max_dest_rd_atomic,
                                       from.min_rnr_timer,
                                       from.port_num,
                                       from.timeout,
                                       from.retry_cnt,
                                       from.rnr_retry};
  memcpy(fields, values, sizeof values);
  WriteAddress(from.ah_attr, fields + kAddressAt);
  const uint32_t caps[] = {from.cap.max_send_wr, from.cap.max_recv_wr, from.cap.max_send_sge, from.cap.max_recv_sge,
                           from.cap.max_inline_data};
  static_assert(kCapAt + std::size(caps) == kPairFields);
  memcpy(fields + kCapAt, caps, sizeof caps);
}

}  // namespace verbena
