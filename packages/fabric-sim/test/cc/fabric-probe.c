/*
 * One question each, answered on standard output for the tests to compare:
 *   info       what umad and verbs say of the devices
 *   registry   which registrations are refused
 *   fork       what a forked child gets
 *   issm       holds the first port's issm file until standard input ends
 *   events     prints asynchronous events until standard input ends
 *   attach     attaches by call in place of the environment
 *   lost       waits until the fabric goes away, prints what the calls give then
 *   back       the same, then waits until standard input ends and works with the fabric that is there now
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sa-mad.h"
#include "umad-api.h"

static struct vb_ibv_context *open_first(void) {
  struct vb_ibv_device **list = ibv_get_device_list(NULL);
  CHECK(list != NULL && list[0] != NULL);
  struct vb_ibv_context *context = ibv_open_device(list[0]);
  CHECK(context != NULL);
  ibv_free_device_list(list);
  return context;
}

static void wait_for_input_end(void) {
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
}

static void print_umad(void) {
  char names[VB_UMAD_MAX_DEVICES][VB_UMAD_CA_NAME_LEN];
  int count = umad_get_cas_names(names, VB_UMAD_MAX_DEVICES);
  for (int i = 0; i < count; ++i) {
    struct vb_umad_ca ca;
    CHECK(umad_get_ca(names[i], &ca) == 0);
    printf("ca %s ports %d guid %016" PRIx64 " system %016" PRIx64 "\n", ca.ca_name, ca.numports, be64toh(ca.be_node_guid),
           be64toh(ca.be_system_guid));
    for (int n = 0; n <= ca.numports; ++n) {
      const struct vb_umad_port *port = ca.ports[n];
      if (port == NULL) continue;
      printf("port %d lid %u lmc %u sm %u state %u phys %u rate %u cap %08x prefix %016" PRIx64 " guid %016" PRIx64 " %s", port->portnum,
             port->base_lid, port->lmc, port->sm_lid, port->state, port->phys_state, port->rate, ntohl(port->be_capmask),
             be64toh(port->be_gid_prefix), be64toh(port->be_port_guid), port->link_layer);
      for (unsigned k = 0; k < port->pkeys_size; ++k) printf(" %04x", port->pkeys[k]);
      putchar('\n');
    }
    CHECK(umad_release_ca(&ca) == 0);
  }
  uint64_t guids[VB_UMAD_CA_MAX_PORTS];
  printf("portguids %d\n", umad_get_ca_portguids(names[0], guids, VB_UMAD_CA_MAX_PORTS));
}

static void print_verbs(void) {
  struct vb_ibv_context *context = open_first();
  struct vb_verbs_context *extended = vb_verbs_get_context(context);
  struct vb_ibv_device_attr device;
  struct vb_ibv_port_attr port, whole;
  union vb_ibv_gid gid;
  uint16_t pkey;
  CHECK(ibv_query_device(context, &device) == 0);
  printf("verbs %s ports %u vendor %06x part %u\n", ibv_get_device_name(context->device), device.phys_port_cnt, device.vendor_id,
         device.vendor_part_id);
  memset(&port, 0xee, sizeof port);
  CHECK(ibv_query_port(context, 1, &port) == 0);
  CHECK(port.port_cap_flags2 == 0xeeee); /* the old call does not know it */
  CHECK(VB_VERBS_CONTEXT_HAS(extended, query_port) && !VB_VERBS_CONTEXT_HAS(extended, create_flow));
  CHECK(extended->query_port(context, 1, &whole, sizeof whole) == 0 && whole.port_cap_flags2 == 0);
  printf("port 1 state %d mtu %d/%d lid %u sm %u width %u speed %u layer %u gids %d pkeys %u\n", port.state, port.max_mtu,
         port.active_mtu, port.lid, port.sm_lid, port.active_width, port.active_speed, port.link_layer, port.gid_tbl_len,
         port.pkey_tbl_len);
  CHECK(ibv_query_gid(context, 1, 0, &gid) == 0 && ibv_query_gid(context, 1, 999, &gid) == -1);
  CHECK(ibv_query_pkey(context, 1, 0, &pkey) == 0);
  printf("pkey %04x index %d\n", ntohs(pkey), ibv_get_pkey_index(context, 1, pkey));
  CHECK(ibv_query_port(context, 9, &port) == EINVAL);
  CHECK(ibv_close_device(context) == 0);
}

static int try_register(int port, int class, int version, int rmpp, int method) {
  long mask[VB_UMAD_MASK_LONGS] = {0};
  if (method != 0) set_method_bit(mask, method);
  errno = 0;
  int result = umad_register(port, class, version, (uint8_t)rmpp, mask);
  return result >= 0 ? result : result * 1000 - errno;
}

static void registry(void) {
  int port = umad_open_port(NULL, 0);
  int other = umad_open_port(NULL, 0);
  CHECK(port >= 0 && other >= 0 && port != other);
  printf("first %d\n", try_register(port, SA_CLASS, SA_VERSION, 1, GET));
  printf("same method %d\n", try_register(other, SA_CLASS, SA_VERSION, 1, GET));
  printf("other method %d\n", try_register(other, SA_CLASS, SA_VERSION, 1, GET_TABLE));
  printf("other version %d\n", try_register(other, SA_CLASS, 1, 1, GET));
  printf("sends only %d\n", try_register(other, SA_CLASS, SA_VERSION, 1, 0));
  printf("rmpp without header %d\n", try_register(other, 4, 1, 1, GET));
  printf("rmpp version 2 %d\n", try_register(other, SA_CLASS, SA_VERSION, 2, 0));
  printf("no port %d\n", try_register(12345, SA_CLASS, SA_VERSION, 1, 0));
  int last = 0;
  while (last >= 0) last = try_register(port, SA_CLASS, SA_VERSION, 0, 0);
  printf("too many %d\n", last);
  CHECK(umad_close_port(port) == 0);
  printf("after close %d\n", try_register(other, SA_CLASS, SA_VERSION, 1, GET));
  CHECK(umad_close_port(other) == 0);
  CHECK(umad_open_port("sim9", 1) == -ENODEV && umad_open_port("sim0", 7) == -EINVAL);
}

static void in_child(void (*work)(void)) {
  fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    work();
    fflush(stdout);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void child_opens(void) { printf("child opens %s\n", umad_open_port(NULL, 0) >= 0 ? "yes" : "no"); }

static void fork_test(void) {
  CHECK(umad_init() == 0);
  in_child(child_opens); /* nothing is open yet: the child may attach by itself */
  int port = umad_open_port(NULL, 0);
  CHECK(port >= 0);
  in_child(child_opens);
  printf("parent registers %d\n", try_register(port, SA_CLASS, SA_VERSION, 1, GET));
}

static void issm(void) {
  char path[256];
  CHECK(umad_get_issm_path(NULL, 0, path, sizeof path) == 0);
  int fd = open(path, O_NONBLOCK | O_RDWR);
  printf("issm %s\n", fd >= 0 ? "held" : errno == EAGAIN ? "taken" : "failed");
  fflush(stdout);
  if (fd < 0) return;
  wait_for_input_end();
  CHECK(close(fd) == 0);
  puts("closed");
  fflush(stdout);
  wait_for_input_end();
}

static void events(void) {
  struct vb_ibv_context *context = open_first();
  CHECK(fcntl(context->async_fd, F_SETFL, O_NONBLOCK) == 0);
  struct vb_ibv_async_event event;
  CHECK(ibv_get_async_event(context, &event) == -1 && errno == EAGAIN);
  puts("ready");
  fflush(stdout);
  struct pollfd entries[2] = {{context->async_fd, POLLIN, 0}, {0, POLLIN, 0}};
  for (;;) {
    CHECK(poll(entries, 2, -1) > 0);
    while (ibv_get_async_event(context, &event) == 0) {
      struct vb_ibv_port_attr port = {0};
      int error = ibv_query_port(context, 1, &port);
      printf("%s %d state %d lid %u error %d\n", ibv_event_type_str(event.event_type), event.element.port_num, port.state, port.lid, error);
      fflush(stdout);
      ibv_ack_async_event(&event);
    }
    if (entries[1].revents != 0) break;
  }
  CHECK(ibv_close_device(context) == 0);
}

static void lost(void) {
  int port = umad_open_port(NULL, 0);
  CHECK(port >= 0 && try_register(port, SA_CLASS, SA_VERSION, 1, GET) == 0);
  puts("ready");
  fflush(stdout);
  uint8_t buffer[VB_UMAD_HEADER_SIZE + MAD_SIZE];
  int length = MAD_SIZE;
  printf("receive %d\n", umad_recv(port, buffer, &length, -1));
  printf("register %d\n", try_register(port, SA_CLASS, SA_VERSION, 1, GET_TABLE));
  printf("open %d\n", umad_open_port("sim0", 1));
  CHECK(umad_close_port(port) == 0);
}

static int count_devices(void) {
  int count = -1;
  struct vb_ibv_device **list = ibv_get_device_list(&count);
  if (list == NULL) return -errno;
  ibv_free_device_list(list);
  return count;
}

/* Handles of the fabric that has gone stay dead and do no harm to those of the one that came after it. */
static void back(void) {
  int port = umad_open_port(NULL, 0);
  struct vb_ibv_context *context = open_first();
  struct vb_ibv_port_attr attributes;
  CHECK(port >= 0 && try_register(port, SA_CLASS, SA_VERSION, 1, GET) == 0);
  puts("ready");
  fflush(stdout);
  uint8_t buffer[VB_UMAD_HEADER_SIZE + MAD_SIZE];
  int length = MAD_SIZE;
  printf("receive %d\n", umad_recv(port, buffer, &length, -1));
  struct vb_ibv_async_event event;
  CHECK(ibv_get_async_event(context, &event) == 0);
  printf("%s\n", ibv_event_type_str(event.event_type));
  fflush(stdout);
  wait_for_input_end();
  printf("%d devices\n", count_devices());
  int next = umad_open_port("sim0", 1);
  CHECK(next >= 0);
  struct vb_ibv_context *new_context = open_first();
  printf("query %d, was %d\n", ibv_query_port(new_context, 1, &attributes), ibv_query_port(context, 1, &attributes));
  printf("old %d\n", try_register(port, SA_CLASS, SA_VERSION, 1, GET_TABLE));
  printf("new %d\n", try_register(next, SA_CLASS, SA_VERSION, 1, GET));
  CHECK(umad_unregister(port, 0) == 0 && umad_close_port(port) == 0 && ibv_close_device(context) == 0);
  printf("taken %d\n", try_register(next, SA_CLASS, SA_VERSION, 1, GET));
  CHECK(umad_close_port(next) == 0 && ibv_close_device(new_context) == 0);
}

static void attach(void) {
  int (*attach_to)(const char *, const char *);
  *(void **)(&attach_to) = other_symbol("fabricsim_attach");
  CHECK(attach_to != NULL);
  char directory[200];
  snprintf(directory, sizeof directory, "%s", getenv("FABRICSIM_DIR"));
  CHECK(unsetenv("FABRICSIM_DIR") == 0 && unsetenv("FABRICSIM_NODE") == 0);
  printf("without environment: %d devices, umad %d\n", count_devices(), umad_init());
  printf("nothing %d\n", attach_to("", "H1"));
  printf("nobody %d\n", attach_to(directory, "H9"));
  printf("nowhere %d\n", attach_to("/nowhere", "H1"));
  printf("refused: %d devices\n", count_devices());
  printf("H1,H2 %d\n", attach_to(directory, "H1,H2"));
  printf("again %d\n", attach_to(directory, "H1,H2"));
  printf("elsewhere %d\n", attach_to("/tmp", "H1"));
  printf("attached: %d devices, umad %d\n", count_devices(), umad_init());
}

int main(int argc, char **argv) {
  load_api();
  const char *what = argc == 2 ? argv[1] : "";
  if (strcmp(what, "info") == 0) {
    print_umad();
    print_verbs();
  } else if (strcmp(what, "registry") == 0) {
    registry();
  } else if (strcmp(what, "fork") == 0) {
    fork_test();
  } else if (strcmp(what, "issm") == 0) {
    issm();
  } else if (strcmp(what, "events") == 0) {
    events();
  } else if (strcmp(what, "attach") == 0) {
    attach();
  } else if (strcmp(what, "lost") == 0) {
    lost();
  } else if (strcmp(what, "back") == 0) {
    back();
  } else {
    return 2;
  }
  return 0;
}
