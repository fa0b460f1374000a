// libibumad: names for classes, methods, attributes and status codes.
#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "export.h"

namespace {

struct Name {
  unsigned value;
  const char *text;
};

template <size_t N>
const char *nameOf(const Name (&table)[N], unsigned value, const char *unknown) {
  auto found = std::find_if(std::begin(table), std::end(table), [&](const Name &name) { return name.value == value; });
  return found == std::end(table) ? unknown : found->text;
}

constexpr Name kClasses[] = {{0x01, "Subn"}, {0x03, "SubnAdm"}, {0x04, "Perf"}, {0x05, "BM"}, {0x06, "DevMgt"}, {0x07, "ComMgt"},
                             {0x08, "SNMP"}, {0x10, "DevAdm"}, {0x11, "BootMgt"}, {0x12, "BIS"}, {0x21, "CongestionMgt"}, {0x81, "Subn"}};
constexpr Name kMethods[] = {{0x01, "Get"}, {0x02, "Set"}, {0x03, "Send"}, {0x05, "Trap"}, {0x06, "Report"}, {0x07, "TrapRepress"},
                             {0x12, "GetTable"}, {0x13, "GetTraceTable"}, {0x14, "GetMulti"}, {0x15, "Delete"}, {0x81, "GetResp"},
                             {0x86, "ReportResp"}, {0x92, "GetTableResp"}, {0x94, "GetMultiResp"}, {0x95, "DeleteResp"}};
constexpr Name kCommonAttributes[] = {{0x01, "ClassPortInfo"}, {0x02, "Notice"}, {0x03, "InformInfo"}};
constexpr Name kSmAttributes[] = {{0x10, "NodeDescription"}, {0x11, "NodeInfo"}, {0x12, "SwitchInfo"}, {0x14, "GUIDInfo"},
                                  {0x15, "PortInfo"}, {0x16, "P_KeyTable"}, {0x17, "SLtoVLMappingTable"}, {0x18, "VLArbitrationTable"},
                                  {0x19, "LinearForwardingTable"}, {0x1a, "RandomForwardingTable"}, {0x1b, "MulticastForwardingTable"},
                                  {0x20, "SMInfo"}, {0x30, "VendorDiag"}, {0x31, "LedInfo"}};
constexpr Name kSaAttributes[] = {{0x11, "NodeRecord"}, {0x12, "PortInfoRecord"}, {0x13, "SLtoVLMappingTableRecord"},
                                  {0x14, "SwitchInfoRecord"}, {0x15, "LinearForwardingTableRecord"},
                                  {0x17, "MulticastForwardingTableRecord"}, {0x18, "SMInfoRecord"}, {0x20, "LinkRecord"},
                                  {0x30, "GuidInfoRecord"}, {0x31, "ServiceRecord"}, {0x33, "P_KeyTableRecord"}, {0x35, "PathRecord"},
                                  {0x36, "VLArbitrationTableRecord"}, {0x38, "MCMemberRecord"}, {0x39, "TraceRecord"},
                                  {0x3a, "MultiPathRecord"}, {0x3b, "ServiceAssociationRecord"}, {0xf3, "InformInfoRecord"}};
constexpr Name kCommonStatus[] = {{0x00, "Success"}, {0x01, "Busy"}, {0x02, "Redirection required"},
                                  {0x04, "Bad version"}, {0x08, "Method not supported"},
                                  {0x0c, "Method and attribute combination not supported"}, {0x1c, "Invalid attribute or modifier"}};
constexpr Name kSaStatus[] = {{0x00, "Success"}, {0x01, "No resources"}, {0x02, "Request invalid"}, {0x03, "No records"},
                              {0x04, "Too many records"}, {0x05, "Invalid GID"}, {0x06, "Insufficient components"},
                              {0x07, "Request denied"}, {0x08, "Priority suggested"}};

}  // namespace

FABRICSIM_EXPORT const char *umad_class_str(uint8_t managementClass) {
  if ((managementClass >= 0x09 && managementClass <= 0x0f) || (managementClass >= 0x30 && managementClass <= 0x4f)) return "Vendor";
  return nameOf(kClasses, managementClass, "<unknown>");
}

FABRICSIM_EXPORT const char *umad_method_str(uint8_t, uint8_t method) { return nameOf(kMethods, method, "<unknown>"); }

// `status` in network order, as it stands in the MAD.
FABRICSIM_EXPORT const char *umad_common_mad_status_str(uint16_t status) {
  return nameOf(kCommonStatus, ntohs(status) & 0x1f, "<unknown>");
}

FABRICSIM_EXPORT const char *umad_sa_mad_status_str(uint16_t status) { return nameOf(kSaStatus, ntohs(status) >> 8, "<unknown>"); }

// `attribute` in network order, as it stands in the MAD.
FABRICSIM_EXPORT const char *umad_attribute_str(uint8_t managementClass, uint16_t attribute) {
  unsigned value = ntohs(attribute);
  const char *common = nameOf(kCommonAttributes, value, nullptr);
  if (common != nullptr) return common;
  if (managementClass == 0x01 || managementClass == 0x81) return nameOf(kSmAttributes, value, "<unknown>");
  if (managementClass == 0x03) return nameOf(kSaAttributes, value, "<unknown>");
  return "<unknown>";
}
