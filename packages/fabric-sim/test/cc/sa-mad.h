/* The MADs that the test programs exchange: subnet administration class, so that RMPP is at home. */
#ifndef SA_MAD_H
#define SA_MAD_H

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

enum { SA_CLASS = 3, SA_VERSION = 2, SA_DATA = 56, MAD_SIZE = 256 };
enum { GET = 0x01, GET_RESP = 0x81, GET_TABLE = 0x12, GET_TABLE_RESP = 0x92, GET_MULTI = 0x14, GET_MULTI_RESP = 0x94 };
enum { SILENT = 0x15 }; /* Delete: the server registers it and never answers */

static inline void put32(uint8_t *p, uint32_t v) {
  v = htonl(v);
  memcpy(p, &v, 4);
}
static inline uint32_t get32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return ntohl(v);
}

static inline void set_header(uint8_t *mad, uint8_t method, uint32_t tid_low) {
  memset(mad, 0, SA_DATA);
  mad[0] = 1;
  mad[1] = SA_CLASS;
  mad[2] = SA_VERSION;
  mad[3] = method;
  put32(mad + 12, tid_low);
}

/* Marks the MAD for transfer in segments. */
static inline void set_rmpp(uint8_t *mad) {
  mad[24] = 1; /* version */
  mad[25] = 1; /* data */
  mad[26] = 1; /* active */
}

/* Byte `i` of a table: no period that divides a segment's size. */
static inline uint8_t pattern(uint32_t i) { return (uint8_t)(i * 31 + (i >> 8) * 7 + (i >> 16)); }

static inline void set_method_bit(long *mask, int method) {
  mask[method / (8 * sizeof(long))] |= 1L << (method % (8 * sizeof(long)));
}

#endif
