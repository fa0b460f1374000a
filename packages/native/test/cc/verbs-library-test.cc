// VerbsLibrary::QueryPort on contexts old and new, and the loading of the stub library.
#include "verbs-library.h"

#include <errno.h>
#include <string.h>

#include "check.h"

namespace {

int QueryExtended(vb_ibv_context*, uint8_t port, vb_ibv_port_attr* attr, size_t size) {
  CHECK_EQ(size, sizeof *attr);
  if (port != 1) return EINVAL;
  attr->lid = 17;
  attr->port_cap_flags2 = 5;
  attr->active_speed_ex = 256;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  verbena::VerbsLibrary library;
  CHECK(!library.Open("/nonexistent/libibverbs.so.1"));
  CHECK(library.error().find("/nonexistent/libibverbs.so.1") != std::string::npos);
  CHECK(!library.Open("libc.so.6"));
  CHECK(library.error() == "libc.so.6: no function ibv_get_device_list of version IBVERBS_1.1");
  CHECK(library.Open(argv[1]));

  std::vector<verbena::VerbsDeviceDescription> devices;
  CHECK_EQ(library.ListDevices(&devices), 0);
  CHECK_EQ(devices.size(), 1);
  CHECK(devices[0].name == "stub0");
  CHECK_EQ(devices[0].node_guid, 0x0002c90300000001);
  int error = 0;
  CHECK(library.OpenDevice("stub1", &error) == nullptr);
  CHECK_EQ(error, ENODEV);
  vb_ibv_context* plain = library.OpenDevice("stub0", &error);
  CHECK(plain != nullptr);
  vb_ibv_port_attr attr;
  // The stub's context has no extended part: the exported function answers.
  CHECK_EQ(library.QueryPort(plain, 1, &attr), 0);
  CHECK_EQ(attr.lid, 9);
  CHECK_EQ(attr.port_cap_flags2, 0);
  CHECK_EQ(attr.active_speed_ex, 0);
  CHECK_EQ(library.QueryPort(plain, 2, &attr), EINVAL);
  CHECK_EQ(library.fn().ibv_close_device(plain), 0);

  vb_verbs_context extended;
  memset(&extended, 0, sizeof extended);
  extended.sz = sizeof extended;
  extended.query_port = QueryExtended;
  extended.context.abi_compat = VB_IBV_ABI_IS_EXTENDED;
  CHECK_EQ(library.QueryPort(&extended.context, 1, &attr), 0);
  CHECK_EQ(attr.lid, 17);
  CHECK_EQ(attr.port_cap_flags2, 5);
  CHECK_EQ(attr.active_speed_ex, 256);
  CHECK_EQ(library.QueryPort(&extended.context, 2, &attr), EINVAL);
  // A library older than the operation says so by the size of its extended part.
  extended.sz = sizeof extended - sizeof(void*);
  CHECK_EQ(library.QueryPort(&extended.context, 1, &attr), 0);
  CHECK_EQ(attr.lid, 9);
  return 0;
}
