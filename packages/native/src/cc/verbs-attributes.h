#pragma once

#include <napi.h>

#include "verbena/ibverbs-abi.h"

namespace verbena {

// Attributes cross as one array of 32-bit numbers in a fixed order (src/verbs/attribute-fields.ts), a GID as 16 bytes beside it.
constexpr size_t kAddressFields = 10;
constexpr size_t kPairFields = 34;

// False unless `fields` is an array of exactly `count` numbers.
bool ReadFields(const Napi::Value& value, size_t count, const uint32_t** fields);
// A GID of 16 bytes; false for anything else.
bool ReadGid(const Napi::Value& value, vb_ibv_gid* out);

void ReadAddress(const uint32_t* fields, vb_ibv_ah_attr* out);
void ReadPair(const uint32_t* fields, vb_ibv_qp_attr* out);
void WritePair(const vb_ibv_qp_attr& attributes, uint32_t* fields);

}  // namespace verbena
