#include "hca/qp-transitions.h"

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

namespace {

constexpr int kPort = VB_IBV_QP_PORT;
constexpr int kPkey = VB_IBV_QP_PKEY_INDEX;
constexpr int kQkey = VB_IBV_QP_QKEY;
constexpr int kAccess = VB_IBV_QP_ACCESS_FLAGS;
constexpr int kAlternate = VB_IBV_QP_ALT_PATH;
constexpr int kMigration = VB_IBV_QP_PATH_MIG_STATE;
constexpr int kRnrTimer = VB_IBV_QP_MIN_RNR_TIMER;
constexpr int kCurrent = VB_IBV_QP_CUR_STATE;
constexpr int kConnect = VB_IBV_QP_AV | VB_IBV_QP_PATH_MTU | VB_IBV_QP_DEST_QPN | VB_IBV_QP_RQ_PSN;
constexpr int kResponder = VB_IBV_QP_MAX_DEST_RD_ATOMIC | kRnrTimer;
constexpr int kRequester = VB_IBV_QP_TIMEOUT | VB_IBV_QP_RETRY_CNT | VB_IBV_QP_RNR_RETRY | VB_IBV_QP_MAX_QP_RD_ATOMIC;

// One mask for each type.
struct Masks {
  int ud;
  int uc;
  int rc;
  int of(int type) const { return type == VB_IBV_QPT_UD ? ud : type == VB_IBV_QPT_UC ? uc : rc; }
};

struct Transition {
  int from;
  int to;
  Masks required;
  Masks optional;
};

constexpr Masks kWhileSending = {kCurrent | kQkey, kCurrent | kAccess | kAlternate | kMigration,
                                 kCurrent | kAccess | kAlternate | kMigration | kRnrTimer};

constexpr Transition kTransitions[] = {
    {VB_IBV_QPS_RESET, VB_IBV_QPS_INIT, {kPkey | kPort | kQkey, kPkey | kPort | kAccess, kPkey | kPort | kAccess}, {0, 0, 0}},
    {VB_IBV_QPS_INIT, VB_IBV_QPS_INIT, {0, 0, 0}, {kPkey | kPort | kQkey, kPkey | kPort | kAccess, kPkey | kPort | kAccess}},
    {VB_IBV_QPS_INIT,
     VB_IBV_QPS_RTR,
     {0, kConnect, kConnect | kResponder},
     {kPkey | kQkey, kAlternate | kAccess | kPkey, kAlternate | kAccess | kPkey}},
    {VB_IBV_QPS_RTR,
     VB_IBV_QPS_RTS,
     {VB_IBV_QP_SQ_PSN, VB_IBV_QP_SQ_PSN, VB_IBV_QP_SQ_PSN | kRequester},
     kWhileSending},
    {VB_IBV_QPS_RTS, VB_IBV_QPS_RTS, {0, 0, 0}, kWhileSending},
    {VB_IBV_QPS_RTS,
     VB_IBV_QPS_SQD,
     {0, 0, 0},
     {VB_IBV_QP_EN_SQD_ASYNC_NOTIFY, VB_IBV_QP_EN_SQD_ASYNC_NOTIFY, VB_IBV_QP_EN_SQD_ASYNC_NOTIFY}},
    {VB_IBV_QPS_SQD, VB_IBV_QPS_RTS, {0, 0, 0}, kWhileSending},
    {VB_IBV_QPS_SQD,
     VB_IBV_QPS_SQD,
     {0, 0, 0},
     {kPkey | kQkey, VB_IBV_QP_AV | kAlternate | kAccess | kPkey | kMigration,
      kPort | VB_IBV_QP_AV | kRequester | kResponder | kAlternate | kAccess | kPkey | kMigration}},
    {VB_IBV_QPS_SQE, VB_IBV_QPS_RTS, {0, 0, 0}, {kCurrent | kQkey, kCurrent | kAccess, -1}},
};

}  // namespace

bool isTransitionAllowed(int type, int from, int to, int mask) {
  mask &= ~VB_IBV_QP_STATE;
  if (to == VB_IBV_QPS_RESET || to == VB_IBV_QPS_ERR) return mask == 0;
  for (const Transition &one : kTransitions) {
    if (one.from != from || one.to != to || one.optional.of(type) < 0) continue;
    int required = one.required.of(type);
    return (mask & required) == required && (mask & ~(required | one.optional.of(type))) == 0;
  }
  return false;
}

}  // namespace fabricsim
