// A user of rdma_cm for test/vm/kernel-service.test.ts, without any library.
//   rdma-cm-client tap NAME         makes a lasting network device that the kernel takes for an IPoIB interface
//   rdma-cm-client resolve IP MS    rdma_resolve_addr; prints "EVENT STATUS" (RDMA_CM_EVENT_…, negative errno)
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <rdma/rdma_user_cm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int fail(const char *what) {
  perror(what);
  return 1;
}

static int make_tap(const char *name) {
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  const int fd = open("/dev/net/tun", O_RDWR);
  if (fd < 0) return fail("/dev/net/tun");
  strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
  if (ioctl(fd, TUNSETIFF, &request) < 0) return fail("TUNSETIFF");
  if (ioctl(fd, TUNSETLINK, ARPHRD_INFINIBAND) < 0) return fail("TUNSETLINK");
  return ioctl(fd, TUNSETPERSIST, 1) < 0 ? fail("TUNSETPERSIST") : 0;
}

// One command of /dev/infiniband/rdma_cm: header and body in one write.
static int command(int fd, uint32_t code, uint16_t answer_size, const void *body, uint16_t size) {
  char message[512];
  const struct rdma_ucm_cmd_hdr header = {.cmd = code, .in = size, .out = answer_size};
  memcpy(message, &header, sizeof header);
  memcpy(message + sizeof header, body, size);
  return write(fd, message, sizeof header + size) < 0 ? -1 : 0;
}

static int resolve(const char *text, uint32_t timeout_ms) {
  struct rdma_ucm_create_id_resp created = {0};
  const struct rdma_ucm_create_id create = {.uid = 1, .response = (uintptr_t)&created, .ps = RDMA_PS_TCP, .qp_type = 2 /* RC */};
  struct rdma_ucm_resolve_ip wanted = {.timeout_ms = timeout_ms};
  struct rdma_ucm_event_resp event = {0};
  const struct rdma_ucm_get_event get = {.response = (uintptr_t)&event};
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  const int fd = open("/dev/infiniband/rdma_cm", O_RDWR);
  if (fd < 0) return fail("/dev/infiniband/rdma_cm");
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) memcpy(&wanted.dst_addr, &v4, sizeof v4);
  else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) memcpy(&wanted.dst_addr, &v6, sizeof v6);
  else return fputs("no IP address\n", stderr), 2;
  if (command(fd, RDMA_USER_CM_CMD_CREATE_ID, sizeof created, &create, sizeof create) < 0) return fail("CREATE_ID");
  wanted.id = created.id;
  if (command(fd, RDMA_USER_CM_CMD_RESOLVE_IP, 0, &wanted, sizeof wanted) < 0) return fail("RESOLVE_IP");
  if (command(fd, RDMA_USER_CM_CMD_GET_EVENT, sizeof event, &get, sizeof get) < 0) return fail("GET_EVENT");
  printf("%u %d\n", event.event, (int)event.status);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "tap") == 0) return make_tap(argv[2]);
  if (argc == 4 && strcmp(argv[1], "resolve") == 0) return resolve(argv[2], (uint32_t)atoi(argv[3]));
  fputs("rdma-cm-client tap NAME | resolve IP MS\n", stderr);
  return 2;
}
