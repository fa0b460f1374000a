/*
 * The two ends of the MAD exchange tests:
 *   umad-peer serve          answers until its standard input ends; prints "ready" first
 *   umad-peer ask LID BYTES  sends to the server at LID: small answer, table of BYTES, request of BYTES / 8, silence; prints "ok"
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "sa-mad.h"
#include "umad-api.h"

enum { TIMEOUT_MS = 2000, SHORT_MS = 50 };

static int open_agent(int *port, const int *methods, int count) {
  long mask[VB_UMAD_MASK_LONGS] = {0};
  for (int i = 0; i < count; ++i) set_method_bit(mask, methods[i]);
  CHECK(umad_init() == 0);
  *port = umad_open_port(NULL, 0);
  CHECK(*port >= 0);
  CHECK(umad_get_fd(*port) == *port);
  int agent = umad_register(*port, SA_CLASS, SA_VERSION, 1, mask);
  CHECK(agent >= 0);
  return agent;
}

static void *umad_buffer(size_t mad_bytes) {
  void *buffer = calloc(1, umad_size() + mad_bytes);
  CHECK(buffer != NULL);
  return buffer;
}

/* Receives one MAD of any length; the caller frees it. */
static void *receive(int port, int *length, int timeout_ms) {
  *length = MAD_SIZE;
  void *buffer = umad_buffer(MAD_SIZE);
  int n = umad_recv(port, buffer, length, timeout_ms);
  if (n == -ENOSPC) {
    CHECK(*length > MAD_SIZE);
    free(buffer);
    buffer = umad_buffer((size_t)*length);
    n = umad_recv(port, buffer, length, timeout_ms);
  }
  CHECK(n >= 0);
  return buffer;
}

static void answer(int port, int agent, void *request, int length) {
  const uint8_t *asked = umad_get_mad(request);
  uint32_t bytes = asked[3] == GET_TABLE ? get32(asked + SA_DATA) : 200;
  size_t total = asked[3] == GET ? MAD_SIZE : SA_DATA + bytes;
  void *buffer = umad_buffer(total);
  uint8_t *mad = umad_get_mad(buffer);
  memcpy(mad, asked, SA_DATA);
  mad[3] |= 0x80;
  memcpy(umad_get_mad_addr(buffer), umad_get_mad_addr(request), sizeof(struct vb_ib_mad_addr));
  umad_get_mad_addr(buffer)->be_qkey = htonl(0x80010000);
  if (asked[3] == GET) memcpy(mad + SA_DATA, asked + SA_DATA, MAD_SIZE - SA_DATA);
  if (asked[3] == GET_TABLE) {
    for (uint32_t i = 0; i < bytes; ++i) mad[SA_DATA + i] = pattern(i);
  }
  if (asked[3] == GET_MULTI) {
    uint32_t good = 0;
    for (int i = 0; i < length - SA_DATA; ++i) good += asked[SA_DATA + i] == pattern((uint32_t)i);
    put32(mad + SA_DATA, (uint32_t)(length - SA_DATA));
    put32(mad + SA_DATA + 4, good);
  }
  if (asked[3] != GET) set_rmpp(mad);
  CHECK(umad_send(port, agent, buffer, (int)total, 0, 3) == 0);
  free(buffer);
}

static void serve(void) {
  const int methods[] = {GET, GET_TABLE, GET_MULTI, SILENT};
  int port;
  int agent = open_agent(&port, methods, 4);
  int poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = port};
  CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, port, &event) == 0);
  event.data.fd = 0;
  CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, 0, &event) == 0);
  unsigned silent = 0;
  puts("ready");
  fflush(stdout);
  for (;;) {
    CHECK(epoll_wait(poller, &event, 1, -1) == 1);
    if (event.data.fd == 0) break;
    int length;
    void *request = receive(port, &length, 0);
    if (umad_status(request) == 0) {
      const uint8_t *mad = umad_get_mad(request);
      if (mad[3] == SILENT) {
        ++silent;
      } else {
        answer(port, agent, request, length);
      }
    }
    free(request);
  }
  printf("unanswered %u\n", silent);
  CHECK(umad_close_port(port) == 0);
}

static void send_to(int port, int agent, void *buffer, int lid, int length, int timeout_ms, int retries) {
  umad_set_addr(buffer, lid, 1, 0, (int)0x80010000);
  umad_set_grh(buffer, NULL);
  umad_set_pkey(buffer, 0);
  CHECK(umad_send(port, agent, buffer, length, timeout_ms, retries) == 0);
}

static void ask_small(int port, int agent, int lid) {
  void *buffer = umad_buffer(MAD_SIZE);
  uint8_t *mad = umad_get_mad(buffer);
  set_header(mad, GET, 77);
  put32(mad + 8, 0x12345678); /* goes out as the agent's id instead */
  mad[SA_DATA] = 0xa5;
  send_to(port, agent, buffer, lid, MAD_SIZE, TIMEOUT_MS, 0);
  int length;
  void *got = receive(port, &length, TIMEOUT_MS);
  const uint8_t *reply = umad_get_mad(got);
  CHECK(umad_status(got) == 0 && length == MAD_SIZE);
  CHECK(reply[3] == GET_RESP && get32(reply + 12) == 77 && reply[SA_DATA] == 0xa5);
  CHECK(get32(reply + 8) != 0x12345678 && get32(reply + 8) != 0);
  CHECK(ntohs(umad_get_mad_addr(got)->be_lid) == lid && ntohl(umad_get_mad_addr(got)->be_qpn) == 1);
  free(got);
  free(buffer);
}

static void ask_table(int port, int agent, int lid, uint32_t bytes) {
  void *buffer = umad_buffer(MAD_SIZE);
  uint8_t *mad = umad_get_mad(buffer);
  set_header(mad, GET_TABLE, 78);
  put32(mad + SA_DATA, bytes);
  send_to(port, agent, buffer, lid, MAD_SIZE, 60000, 0);
  CHECK(umad_poll(port, 60000) == 0);
  int length = MAD_SIZE;
  void *first = umad_buffer(MAD_SIZE);
  CHECK(umad_recv(port, first, &length, 0) == -ENOSPC && errno == ENOSPC);
  CHECK(length == SA_DATA + (int)bytes);
  free(first);
  void *got = receive(port, &length, 0);
  const uint8_t *reply = umad_get_mad(got);
  CHECK(length == SA_DATA + (int)bytes && reply[3] == GET_TABLE_RESP);
  for (uint32_t i = 0; i < bytes; ++i) CHECK(reply[SA_DATA + i] == pattern(i));
  free(got);
  free(buffer);
}

static void ask_upload(int port, int agent, int lid, uint32_t bytes) {
  void *buffer = umad_buffer(SA_DATA + bytes);
  uint8_t *mad = umad_get_mad(buffer);
  set_header(mad, GET_MULTI, 79);
  set_rmpp(mad);
  for (uint32_t i = 0; i < bytes; ++i) mad[SA_DATA + i] = pattern(i);
  send_to(port, agent, buffer, lid, SA_DATA + (int)bytes, TIMEOUT_MS, 3);
  int length;
  void *got = receive(port, &length, 60000);
  const uint8_t *reply = umad_get_mad(got);
  CHECK(umad_status(got) == 0 && reply[3] == GET_MULTI_RESP);
  CHECK(get32(reply + SA_DATA) == bytes && get32(reply + SA_DATA + 4) == bytes);
  free(got);
  free(buffer);
}

static void ask_silence(int port, int agent, int lid) {
  struct timespec start, end;
  void *buffer = umad_buffer(MAD_SIZE);
  uint8_t *mad = umad_get_mad(buffer);
  set_header(mad, SILENT, 80);
  clock_gettime(CLOCK_MONOTONIC, &start);
  send_to(port, agent, buffer, lid, MAD_SIZE, SHORT_MS, 2);
  /* The id is in use until the transaction ends. */
  CHECK(umad_send(port, agent, buffer, MAD_SIZE, SHORT_MS, 0) == -EIO && errno == EINVAL);
  int length = MAD_SIZE;
  void *got = umad_buffer(MAD_SIZE);
  CHECK(umad_recv(port, got, &length, 10000) == agent);
  clock_gettime(CLOCK_MONOTONIC, &end);
  long elapsed = (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000;
  const uint8_t *reply = umad_get_mad(got);
  CHECK(umad_status(got) == ETIMEDOUT && length == 24);
  CHECK(reply[3] == SILENT && get32(reply + 12) == 80);
  CHECK(elapsed >= 3 * SHORT_MS - 1);
  CHECK(umad_recv(port, got, &length, 0) == -EAGAIN && errno == EAGAIN);
  CHECK(umad_recv(port, got, &length, 1) == -ETIMEDOUT);
  free(got);
  free(buffer);
}

static void ask(int lid, uint32_t bytes) {
  int port;
  int agent = open_agent(&port, NULL, 0);
  ask_small(port, agent, lid);
  ask_table(port, agent, lid, bytes);
  ask_upload(port, agent, lid, bytes / 8);
  ask_silence(port, agent, lid);
  CHECK(umad_unregister(port, agent) == 0);
  CHECK(umad_unregister(port, agent) == -1 && errno == EINVAL);
  CHECK(umad_close_port(port) == 0);
  CHECK(umad_done() == 0);
  puts("ok");
}

int main(int argc, char **argv) {
  load_api();
  if (argc == 2 && strcmp(argv[1], "serve") == 0) {
    serve();
  } else if (argc == 4 && strcmp(argv[1], "ask") == 0) {
    ask(atoi(argv[2]), (uint32_t)atoi(argv[3]));
  } else {
    return 2;
  }
  return 0;
}
