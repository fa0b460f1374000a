/*
 * The part of libibumad's binary interface that Verbena calls and that its simulator offers. Conventions: see ibverbs-abi.h.
 */
#ifndef VERBENA_IBUMAD_ABI_H
#define VERBENA_IBUMAD_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  VB_UMAD_CA_NAME_LEN = 20,
  VB_UMAD_CA_MAX_PORTS = 10, /* ports 0..9 */
  VB_UMAD_CA_MAX_AGENTS = 32,
  VB_UMAD_MAX_DEVICES = 32,
  VB_UMAD_MAX_PORTS = 64
};

/* Where a MAD goes to or came from. Everything that is longer than a byte is in network order, but for pkey_index. */
struct vb_ib_mad_addr {
  uint32_t be_qpn;
  uint32_t be_qkey;
  uint16_t be_lid;
  uint8_t sl;
  uint8_t path_bits;
  uint8_t grh_present;
  uint8_t gid_index;
  uint8_t hop_limit;
  uint8_t traffic_class;
  uint8_t gid[16];
  uint32_t be_flow_label;
  uint16_t pkey_index;
  uint8_t reserved[6];
};

/*
 * Header in front of every MAD that umad_send takes and umad_recv gives; the MAD itself follows at vb_umad_size() bytes.
 * On receive `status` is 0, or ETIMEDOUT (110) with the sent MAD's header when nothing answered, and `length` counts header and MAD.
 */
struct vb_ib_user_mad {
  uint32_t agent_id;
  uint32_t status;
  uint32_t timeout_ms;
  uint32_t retries;
  uint32_t length;
  struct vb_ib_mad_addr addr;
};

enum { VB_UMAD_HEADER_SIZE = 64, VB_UMAD_MAD_SIZE = 256 };

struct vb_umad_port {
  char ca_name[VB_UMAD_CA_NAME_LEN];
  int portnum;
  unsigned base_lid;
  unsigned lmc;
  unsigned sm_lid;
  unsigned sm_sl;
  unsigned state;
  unsigned phys_state;
  unsigned rate; /* Gb/s, rounded down */
  uint32_t be_capmask;
  uint64_t be_gid_prefix;
  uint64_t be_port_guid;
  unsigned pkeys_size;
  uint16_t *pkeys; /* host order; owned by the struct until umad_release_port */
  char link_layer[VB_UMAD_CA_NAME_LEN];
};

struct vb_umad_ca {
  char ca_name[VB_UMAD_CA_NAME_LEN];
  unsigned node_type;
  int numports;
  char fw_ver[20];
  char ca_type[40];
  char hw_ver[20];
  uint64_t be_node_guid;
  uint64_t be_system_guid;
  struct vb_umad_port *ports[VB_UMAD_CA_MAX_PORTS];
};

struct vb_umad_device_node {
  struct vb_umad_device_node *next;
  const char *ca_name;
};

enum { VB_UMAD_USER_RMPP = 1 << 0 };

struct vb_umad_reg_attr {
  uint8_t mgmt_class;
  uint8_t mgmt_class_version;
  uint32_t flags;
  uint64_t method_mask[2];
  uint32_t oui;
  uint8_t rmpp_version;
};

/* Method masks of umad_register: 128 bits as an array of long. */
#define VB_UMAD_MASK_LONGS (16 / sizeof(long))

/*
 * X(name, version, result, arguments). int results: 0 or a count or an id, or a negative errno value (umad_recv and umad_poll of
 * older releases: -1 with errno). A port id happens to be a descriptor, but ask umad_get_fd. umad_register2 alone takes
 * the descriptor, and returns a positive errno value.
 */
#define VB_IBUMAD_FUNCTIONS(X)                                                                                                \
  X(umad_init, "IBUMAD_1.0", int, (void))                                                                                     \
  X(umad_done, "IBUMAD_1.0", int, (void))                                                                                     \
  X(umad_get_cas_names, "IBUMAD_1.0", int, (char (*cas)[VB_UMAD_CA_NAME_LEN], int max))                                       \
  X(umad_get_ca_portguids, "IBUMAD_1.0", int, (const char *ca_name, uint64_t *be_port_guids, int max))                        \
  X(umad_get_ca, "IBUMAD_1.0", int, (const char *ca_name, struct vb_umad_ca *ca))                                             \
  X(umad_release_ca, "IBUMAD_1.0", int, (struct vb_umad_ca *ca))                                                              \
  X(umad_get_port, "IBUMAD_1.0", int, (const char *ca_name, int portnum, struct vb_umad_port *port))                          \
  X(umad_release_port, "IBUMAD_1.0", int, (struct vb_umad_port *port))                                                        \
  X(umad_get_issm_path, "IBUMAD_1.0", int, (const char *ca_name, int portnum, char *path, int max))                           \
  X(umad_open_port, "IBUMAD_1.0", int, (const char *ca_name, int portnum))                                                    \
  X(umad_close_port, "IBUMAD_1.0", int, (int portid))                                                                         \
  X(umad_get_mad, "IBUMAD_1.0", void *, (void *umad))                                                                         \
  X(umad_get_mad_addr, "IBUMAD_1.0", struct vb_ib_mad_addr *, (void *umad))                                                   \
  X(umad_size, "IBUMAD_1.0", size_t, (void))                                                                                  \
  X(umad_status, "IBUMAD_1.0", int, (void *umad))                                                                             \
  X(umad_set_grh, "IBUMAD_1.0", int, (void *umad, void *mad_addr))                                                            \
  X(umad_set_addr, "IBUMAD_1.0", int, (void *umad, int dlid, int dqp, int sl, int qkey))                                      \
  X(umad_set_addr_net, "IBUMAD_1.0", int, (void *umad, uint16_t be_dlid, uint32_t be_dqp, int sl, uint32_t be_qkey))          \
  X(umad_set_pkey, "IBUMAD_1.0", int, (void *umad, int pkey_index))                                                           \
  X(umad_get_pkey, "IBUMAD_1.0", int, (void *umad))                                                                           \
  X(umad_send, "IBUMAD_1.0", int, (int portid, int agentid, void *umad, int length, int timeout_ms, int retries))             \
  X(umad_recv, "IBUMAD_1.0", int, (int portid, void *umad, int *length, int timeout_ms))                                      \
  X(umad_poll, "IBUMAD_1.0", int, (int portid, int timeout_ms))                                                               \
  X(umad_get_fd, "IBUMAD_1.0", int, (int portid))                                                                             \
  X(umad_register, "IBUMAD_1.0", int,                                                                                         \
    (int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long *method_mask))                                  \
  X(umad_register_oui, "IBUMAD_1.0", int,                                                                                     \
    (int portid, int mgmt_class, uint8_t rmpp_version, uint8_t *oui, long *method_mask))                                      \
  X(umad_register2, "IBUMAD_1.0", int, (int port_fd, struct vb_umad_reg_attr *attr, uint32_t *agent_id))                      \
  X(umad_unregister, "IBUMAD_1.0", int, (int portid, int agentid))                                                            \
  X(umad_debug, "IBUMAD_1.0", int, (int level))                                                                               \
  X(umad_addr_dump, "IBUMAD_1.0", void, (struct vb_ib_mad_addr * addr))                                                       \
  X(umad_dump, "IBUMAD_1.0", void, (void *umad))                                                                              \
  X(umad_get_ca_device_list, "IBUMAD_1.1", struct vb_umad_device_node *, (void))                                              \
  X(umad_free_ca_device_list, "IBUMAD_1.1", void, (struct vb_umad_device_node * head))                                        \
  X(umad_sort_ca_device_list, "IBUMAD_1.2", int, (struct vb_umad_device_node * *head, size_t size))

#ifndef VB_DECLARE_FN_TYPE
#define VB_DECLARE_FN_TYPE(name, version, result, arguments) typedef result(*vb_##name##_fn) arguments;
#endif
VB_IBUMAD_FUNCTIONS(VB_DECLARE_FN_TYPE)

#ifdef __cplusplus
}
#endif

#endif
