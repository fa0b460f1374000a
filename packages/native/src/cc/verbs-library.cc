#include "verbs-library.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

namespace verbena {

bool VerbsLibrary::Open(const std::string& path) {
  if (!library_.Open(path)) {
    error_ = library_.error();
    return false;
  }
#define VERBENA_RESOLVE(name, version, result, arguments) \
  functions_.name = reinterpret_cast<vb_##name##_fn>(library_.Resolve(#name, version));
  VB_IBVERBS_CONTROL_FUNCTIONS(VERBENA_RESOLVE)
  VB_IBVERBS_DATA_FUNCTIONS(VERBENA_RESOLVE)
#undef VERBENA_RESOLVE
  const struct {
    const char* name;
    bool is_missing;
  } required[] = {
#define VERBENA_REQUIRE(name) {#name, functions_.name == nullptr}
      VERBENA_REQUIRE(ibv_get_device_list), VERBENA_REQUIRE(ibv_free_device_list), VERBENA_REQUIRE(ibv_get_device_name),
      VERBENA_REQUIRE(ibv_get_device_guid), VERBENA_REQUIRE(ibv_open_device),      VERBENA_REQUIRE(ibv_close_device),
      VERBENA_REQUIRE(ibv_query_device),    VERBENA_REQUIRE(ibv_query_port),       VERBENA_REQUIRE(ibv_query_gid),
      VERBENA_REQUIRE(ibv_query_pkey),      VERBENA_REQUIRE(ibv_get_async_event),  VERBENA_REQUIRE(ibv_ack_async_event),
#undef VERBENA_REQUIRE
  };
  for (const auto& entry : required) {
    if (!entry.is_missing) continue;
    error_ = path + ": no function " + entry.name + " of version IBVERBS_1.1";
    return false;
  }
  return true;
}

const char* VerbsLibrary::MissingDataFunction() const {
#define VERBENA_NEED(name, version, result, arguments) \
  if (functions_.name == nullptr) return #name;
  VB_IBVERBS_DATA_FUNCTIONS(VERBENA_NEED)
#undef VERBENA_NEED
  return nullptr;
}

VerbsDeviceDescription VerbsLibrary::Describe(vb_ibv_device* device) const {
  return {functions_.ibv_get_device_name(device), be64toh(functions_.ibv_get_device_guid(device)), device->node_type,
          device->transport_type};
}

int VerbsLibrary::ListDevices(std::vector<VerbsDeviceDescription>* out) const {
  int count = 0;
  errno = 0;
  vb_ibv_device** list = functions_.ibv_get_device_list(&count);
  if (list == nullptr) return errno != 0 ? errno : EIO;
  for (int i = 0; i < count; i++) out->push_back(Describe(list[i]));
  functions_.ibv_free_device_list(list);
  return 0;
}

vb_ibv_context* VerbsLibrary::OpenDevice(const std::string& name, int* error) const {
  int count = 0;
  errno = 0;
  vb_ibv_device** list = functions_.ibv_get_device_list(&count);
  if (list == nullptr) {
    *error = errno != 0 ? errno : EIO;
    return nullptr;
  }
  vb_ibv_context* context = nullptr;
  *error = ENODEV;
  for (int i = 0; i < count; i++) {
    if (name != functions_.ibv_get_device_name(list[i])) continue;
    errno = 0;
    context = functions_.ibv_open_device(list[i]);
    *error = context != nullptr ? 0 : (errno != 0 ? errno : EIO);
    break;
  }
  // An open context keeps its device, so the list may go.
  functions_.ibv_free_device_list(list);
  return context;
}

int VerbsLibrary::QueryPort(vb_ibv_context* context, uint8_t port, vb_ibv_port_attr* out) const {
  memset(out, 0, sizeof *out);
  errno = 0;
  vb_verbs_context* extended = vb_verbs_get_context(context);
  const int result = VB_VERBS_CONTEXT_HAS(extended, query_port) ? extended->query_port(context, port, out, sizeof *out)
                                                                : functions_.ibv_query_port(context, port, out);
  if (result == 0) return 0;
  return result > 0 ? result : (errno != 0 ? errno : EIO);
}

}  // namespace verbena
