/*
 * Many threads on one library: umad-threads LID
 * Four threads open ports, register, ask the server at LID, and close, again and again; one queries verbs meanwhile; one waits on
 * a port that another closes. Prints "ok". It is there for the thread sanitizer, and to see that nothing gets stuck.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "sa-mad.h"
#include "umad-api.h"

enum { THREADS = 4, ROUNDS = 10, ASKS = 20, TIMEOUT_MS = 20000 };

static int server_lid;

static void ask(int port, int agent, uint32_t number) {
  uint8_t buffer[VB_UMAD_HEADER_SIZE + MAD_SIZE] = {0};
  uint8_t *mad = umad_get_mad(buffer);
  set_header(mad, GET, number);
  umad_set_addr(buffer, server_lid, 1, 0, (int)0x80010000);
  CHECK(umad_send(port, agent, buffer, MAD_SIZE, TIMEOUT_MS, 0) == 0);
  int length = MAD_SIZE;
  CHECK(umad_recv(port, buffer, &length, TIMEOUT_MS) == agent);
  CHECK(umad_status(buffer) == 0 && get32(mad + 12) == number && mad[3] == GET_RESP);
}

static void *asker(void *argument) {
  uint32_t base = (uint32_t)(uintptr_t)argument * 1000;
  for (int round = 0; round < ROUNDS; ++round) {
    int port = umad_open_port(NULL, 0);
    CHECK(port >= 0);
    int agent = umad_register(port, SA_CLASS, SA_VERSION, 1, NULL);
    CHECK(agent >= 0);
    for (uint32_t i = 0; i < ASKS; ++i) ask(port, agent, base + i);
    if (round % 2 == 0) CHECK(umad_unregister(port, agent) == 0);
    CHECK(umad_close_port(port) == 0);
  }
  return NULL;
}

static void *querier(void *argument) {
  (void)argument;
  for (int round = 0; round < ROUNDS * 10; ++round) {
    struct vb_ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list != NULL && list[0] != NULL);
    struct vb_ibv_context *context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    CHECK(context != NULL);
    struct vb_ibv_port_attr port;
    CHECK(ibv_query_port(context, 1, &port) == 0 && port.state == VB_IBV_PORT_ACTIVE);
    CHECK(ibv_close_device(context) == 0);
  }
  return NULL;
}

static void *waiter(void *argument) {
  uint8_t buffer[VB_UMAD_HEADER_SIZE + MAD_SIZE];
  int length = MAD_SIZE;
  int result = umad_recv(*(int *)argument, buffer, &length, TIMEOUT_MS);
  CHECK(result == -EBADF || result == -EIO);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  server_lid = atoi(argv[1]);
  load_api();
  CHECK(umad_init() == 0);
  pthread_t threads[THREADS + 2];
  int waited = umad_open_port(NULL, 0);
  CHECK(waited >= 0);
  CHECK(pthread_create(&threads[0], NULL, waiter, &waited) == 0);
  CHECK(pthread_create(&threads[1], NULL, querier, NULL) == 0);
  for (uintptr_t i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[2 + i], NULL, asker, (void *)(i + 1)) == 0);
  for (int i = 1; i < THREADS + 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(umad_close_port(waited) == 0);
  CHECK(pthread_join(threads[0], NULL) == 0);
  puts("ok");
  return 0;
}
