// A libibverbs for tests of the addon: one device `stub0` with two GIDs. Events are raised by MADs, see stub-umad.cc.
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <mutex>
#include <set>

#include "stub-rdma.h"
#include "verbena/ibverbs-abi.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Context {
  vb_ibv_context head;
  int writer;
  int unacknowledged = 0;
};

struct Event {
  int type;
  int port;
};

std::mutex mutex;
std::set<Context*>& contexts = *new std::set<Context*>;

vb_ibv_device* Device() {
  static vb_ibv_device device = [] {
    vb_ibv_device out = {};
    out.node_type = VB_IBV_NODE_CA;
    out.transport_type = VB_IBV_TRANSPORT_IB;
    strcpy(out.name, "stub0");
    return out;
  }();
  return &device;
}

}  // namespace

void StubRaiseEvent(int type, int port) {
  const std::lock_guard lock(mutex);
  const Event event = {type, port};
  for (const Context* context : contexts) {
    if (write(context->writer, &event, sizeof event) != sizeof event) abort();
  }
}

EXPORT vb_ibv_device** ibv_get_device_list(int* count) {
  *count = 1;
  return new vb_ibv_device*[2]{Device(), nullptr};
}
EXPORT void ibv_free_device_list(vb_ibv_device** list) { delete[] list; }
EXPORT const char* ibv_get_device_name(vb_ibv_device* device) { return device->name; }
EXPORT uint64_t ibv_get_device_guid(vb_ibv_device*) { return htobe64(0x0002c90300000001); }

EXPORT vb_ibv_context* ibv_open_device(vb_ibv_device* device) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  auto* context = new Context{};
  context->head.device = device;
  context->head.async_fd = ends[0];
  context->writer = ends[1];
  const std::lock_guard lock(mutex);
  contexts.insert(context);
  return &context->head;
}

EXPORT int ibv_close_device(vb_ibv_context* head) {
  auto* context = reinterpret_cast<Context*>(head);
  const std::lock_guard lock(mutex);
  if (context->unacknowledged != 0) abort();
  contexts.erase(context);
  close(context->head.async_fd);
  close(context->writer);
  delete context;
  return 0;
}

EXPORT int ibv_query_device(vb_ibv_context*, vb_ibv_device_attr* attr) {
  memset(attr, 0, sizeof *attr);
  strcpy(attr->fw_ver, "1.2.3");
  attr->be_node_guid = htobe64(0x0002c90300000001);
  attr->be_sys_image_guid = htobe64(0x0002c90300000000);
  attr->vendor_id = 0x2c9;
  attr->vendor_part_id = 4123;
  attr->phys_port_cnt = 1;
  attr->max_pkeys = 2;
  return 0;
}

EXPORT int ibv_query_port(vb_ibv_context*, uint8_t port, vb_ibv_port_attr* attr) {
  if (port != 1) return EINVAL;
  attr->state = VB_IBV_PORT_ACTIVE;
  attr->phys_state = VB_IBV_PHYS_LINK_UP;
  attr->max_mtu = 5;
  attr->active_mtu = 4;
  attr->gid_tbl_len = 4;
  attr->pkey_tbl_len = 3;
  attr->lid = 9;
  attr->lmc = 1;
  attr->sm_lid = 1;
  attr->subnet_timeout = 18;
  attr->active_width = 2;
  attr->active_speed = 32;
  attr->port_cap_flags = 0x02514868;
  attr->link_layer = VB_IBV_LINK_LAYER_INFINIBAND;
  return 0;
}

// Entry 0 and 2 are in use, entry 1 is zero, entry 3 cannot be read.
EXPORT int ibv_query_gid(vb_ibv_context*, uint8_t, int index, vb_ibv_gid* gid) {
  memset(gid, 0, sizeof *gid);
  if (index == 1) return 0;
  if (index == 3) {
    errno = ENODATA;
    return -1;
  }
  gid->global.be_subnet_prefix = htobe64(0xfe80000000000000);
  gid->global.be_interface_id = htobe64(0x0002c90300000002 + static_cast<uint64_t>(index));
  return 0;
}

EXPORT int ibv_query_pkey(vb_ibv_context*, uint8_t, int index, uint16_t* be_pkey) {
  static const uint16_t table[] = {0xffff, 0, 0x8001};
  *be_pkey = htobe16(table[index]);
  return 0;
}

EXPORT int ibv_get_async_event(vb_ibv_context* head, vb_ibv_async_event* event) {
  Event raised;
  if (read(head->async_fd, &raised, sizeof raised) != sizeof raised) return -1;
  event->event_type = raised.type;
  event->element.port_num = raised.port;
  const std::lock_guard lock(mutex);
  for (Context* context : contexts) {
    if (&context->head == head) context->unacknowledged++;
  }
  return 0;
}

// The library finds the context through the event's object; the stub has one device, and one unacknowledged event at a time.
EXPORT void ibv_ack_async_event(vb_ibv_async_event*) {
  const std::lock_guard lock(mutex);
  for (Context* context : contexts) {
    if (context->unacknowledged > 0) {
      context->unacknowledged--;
      return;
    }
  }
  abort();
}
