// libibverbs: names of codes.
#include <cstddef>
#include <iterator>

#include "export.h"

namespace {

template <size_t N>
const char *entry(const char *const (&table)[N], int index) {
  return index >= 0 && static_cast<size_t>(index) < N ? table[index] : "unknown";
}

constexpr const char *kNodeTypes[] = {"unknown",    "InfiniBand channel adapter", "InfiniBand switch", "InfiniBand router",
                                      "iWARP NIC", "usNIC",                      "usNIC UDP",         "unspecified"};
constexpr const char *kPortStates[] = {"no state change (NOP)", "down", "init", "armed", "active", "active defer"};
constexpr const char *kEvents[] = {"CQ error",
                                   "local work queue catastrophic error",
                                   "invalid request local work queue error",
                                   "local access violation work queue error",
                                   "communication established",
                                   "send queue drained",
                                   "path migrated",
                                   "path migration request error",
                                   "local catastrophic error",
                                   "port active",
                                   "port error",
                                   "LID change",
                                   "P_Key change",
                                   "SM change",
                                   "SRQ catastrophic error",
                                   "SRQ limit reached",
                                   "last WQE reached",
                                   "client reregistration",
                                   "GID table change",
                                   "WQ fatal"};
constexpr const char *kCompletionStatus[] = {"success",
                                             "local length error",
                                             "local QP operation error",
                                             "local EE context operation error",
                                             "local protection error",
                                             "Work Request Flushed Error",
                                             "memory management operation error",
                                             "bad response error",
                                             "local access error",
                                             "remote invalid request error",
                                             "remote access error",
                                             "remote operation error",
                                             "transport retry counter exceeded",
                                             "RNR retry counter exceeded",
                                             "local RDD violation error",
                                             "remote invalid RD request",
                                             "aborted error",
                                             "invalid EE context number",
                                             "invalid EE context state",
                                             "fatal error",
                                             "response timeout error",
                                             "general error",
                                             "TM error",
                                             "TM software rendezvous"};

}  // namespace

FABRICSIM_EXPORT const char *ibv_node_type_str(int type) { return entry(kNodeTypes, type); }
FABRICSIM_EXPORT const char *ibv_port_state_str(int state) { return entry(kPortStates, state); }
FABRICSIM_EXPORT const char *ibv_event_type_str(int event) { return entry(kEvents, event); }
FABRICSIM_EXPORT const char *ibv_wc_status_str(int status) { return entry(kCompletionStatus, status); }
