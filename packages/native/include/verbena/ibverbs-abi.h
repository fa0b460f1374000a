/*
 * The part of libibverbs' binary interface that Verbena calls and that its simulator offers.
 *
 * Written from the documented interface so that nothing of rdma-core is needed to build; test/cc/abi-check.cc compares every
 * struct, field and constant here with the real headers wherever those are installed. Names carry the prefix `vb_` so that this
 * header and the real ones can be included together.
 *
 * Byte order: members named `be_…` are in network order, everything else is in host order.
 */
#ifndef VERBENA_IBVERBS_ABI_H
#define VERBENA_IBVERBS_ABI_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A GID in wire order. The second view exists only because its alignment (8) is part of the ABI. */
union vb_ibv_gid {
  uint8_t raw[16];
  struct {
    uint64_t be_subnet_prefix;
    uint64_t be_interface_id;
  } global;
};

enum { VB_IBV_GID_TYPE_IB = 0, VB_IBV_GID_TYPE_ROCE_V1 = 1, VB_IBV_GID_TYPE_ROCE_V2 = 2 };

struct vb_ibv_gid_entry {
  union vb_ibv_gid gid;
  uint32_t gid_index;
  uint32_t port_num;
  uint32_t gid_type; /* VB_IBV_GID_TYPE_… */
  uint32_t ndev_ifindex;
};

enum { VB_IBV_NODE_UNKNOWN = -1, VB_IBV_NODE_CA = 1, VB_IBV_NODE_SWITCH = 2, VB_IBV_NODE_ROUTER = 3, VB_IBV_NODE_RNIC = 4 };

enum { VB_IBV_TRANSPORT_UNKNOWN = -1, VB_IBV_TRANSPORT_IB = 0, VB_IBV_TRANSPORT_IWARP = 1 };

enum { VB_IBV_LINK_LAYER_UNSPECIFIED = 0, VB_IBV_LINK_LAYER_INFINIBAND = 1, VB_IBV_LINK_LAYER_ETHERNET = 2 };

enum {
  VB_IBV_PORT_NOP = 0,
  VB_IBV_PORT_DOWN = 1,
  VB_IBV_PORT_INIT = 2,
  VB_IBV_PORT_ARMED = 3,
  VB_IBV_PORT_ACTIVE = 4,
  VB_IBV_PORT_ACTIVE_DEFER = 5
};

/* Physical link states, as PortInfo.PortPhysicalState counts them. */
enum {
  VB_IBV_PHYS_SLEEP = 1,
  VB_IBV_PHYS_POLLING = 2,
  VB_IBV_PHYS_DISABLED = 3,
  VB_IBV_PHYS_TRAINING = 4,
  VB_IBV_PHYS_LINK_UP = 5,
  VB_IBV_PHYS_ERROR_RECOVERY = 6
};

enum {
  VB_IBV_PORT_SM = 1 << 1, /* set in port_cap_flags while an SM runs behind the port */
  VB_IBV_PORT_EXTENDED_SPEEDS_SUP = 1 << 14,
  VB_IBV_PORT_CAP_MASK2_SUP = 1 << 15,
  VB_IBV_PORT_CLIENT_REG_SUP = 1 << 25
};

/* device_cap_flags */
enum {
  VB_IBV_DEVICE_CURR_QP_STATE_MOD = 1 << 7,
  VB_IBV_DEVICE_PORT_ACTIVE_EVENT = 1 << 10,
  VB_IBV_DEVICE_SYS_IMAGE_GUID = 1 << 11,
  VB_IBV_DEVICE_RC_RNR_NAK_GEN = 1 << 12,
  VB_IBV_DEVICE_SRQ_RESIZE = 1 << 13
};

enum { VB_IBV_ATOMIC_NONE = 0, VB_IBV_ATOMIC_HCA = 1, VB_IBV_ATOMIC_GLOB = 2 };

struct vb_ibv_device_attr {
  char fw_ver[64];
  uint64_t be_node_guid;
  uint64_t be_sys_image_guid;
  uint64_t max_mr_size;
  uint64_t page_size_cap;
  uint32_t vendor_id;
  uint32_t vendor_part_id;
  uint32_t hw_ver;
  int max_qp;
  int max_qp_wr;
  unsigned int device_cap_flags;
  int max_sge;
  int max_sge_rd;
  int max_cq;
  int max_cqe;
  int max_mr;
  int max_pd;
  int max_qp_rd_atom;
  int max_ee_rd_atom;
  int max_res_rd_atom;
  int max_qp_init_rd_atom;
  int max_ee_init_rd_atom;
  int atomic_cap;
  int max_ee;
  int max_rdd;
  int max_mw;
  int max_raw_ipv6_qp;
  int max_raw_ethy_qp;
  int max_mcast_grp;
  int max_mcast_qp_attach;
  int max_total_mcast_qp_attach;
  int max_ah;
  int max_fmr;
  int max_map_per_fmr;
  int max_srq;
  int max_srq_wr;
  int max_srq_sge;
  uint16_t max_pkeys;
  uint8_t local_ca_ack_delay;
  uint8_t phys_port_cnt;
};

/* MTUs are codes 1..5 (256..4096 bytes). active_width and active_speed are PortInfo's one-hot codes. */
struct vb_ibv_port_attr {
  int state;
  int max_mtu;
  int active_mtu;
  int gid_tbl_len;
  uint32_t port_cap_flags;
  uint32_t max_msg_sz;
  uint32_t bad_pkey_cntr;
  uint32_t qkey_viol_cntr;
  uint16_t pkey_tbl_len;
  uint16_t lid;
  uint16_t sm_lid;
  uint8_t lmc;
  uint8_t max_vl_num;
  uint8_t sm_sl;
  uint8_t subnet_timeout;
  uint8_t init_type_reply;
  uint8_t active_width;
  uint8_t active_speed;
  uint8_t phys_state;
  uint8_t link_layer;
  uint8_t flags;
  uint16_t port_cap_flags2;
  uint32_t active_speed_ex; /* of newer libraries: the speed code in full; 0 where it is not filled */
};

/* What the exported symbol `ibv_query_port` fills: vb_ibv_port_attr up to and including phys_state, link_layer and flags. */
#define VB_IBV_COMPAT_PORT_ATTR_SIZE offsetof(struct vb_ibv_port_attr, port_cap_flags2)

enum {
  VB_IBV_EVENT_CQ_ERR = 0,
  VB_IBV_EVENT_QP_FATAL = 1,
  VB_IBV_EVENT_QP_REQ_ERR = 2,
  VB_IBV_EVENT_QP_ACCESS_ERR = 3,
  VB_IBV_EVENT_COMM_EST = 4,
  VB_IBV_EVENT_SQ_DRAINED = 5,
  VB_IBV_EVENT_PATH_MIG = 6,
  VB_IBV_EVENT_PATH_MIG_ERR = 7,
  VB_IBV_EVENT_DEVICE_FATAL = 8,
  VB_IBV_EVENT_PORT_ACTIVE = 9,
  VB_IBV_EVENT_PORT_ERR = 10,
  VB_IBV_EVENT_LID_CHANGE = 11,
  VB_IBV_EVENT_PKEY_CHANGE = 12,
  VB_IBV_EVENT_SM_CHANGE = 13,
  VB_IBV_EVENT_SRQ_ERR = 14,
  VB_IBV_EVENT_SRQ_LIMIT_REACHED = 15,
  VB_IBV_EVENT_QP_LAST_WQE_REACHED = 16,
  VB_IBV_EVENT_CLIENT_REREGISTER = 17,
  VB_IBV_EVENT_GID_CHANGE = 18,
  VB_IBV_EVENT_WQ_FATAL = 19
};

/* element.port_num is meant for the port events (9..13, 17, 18), an object for the others, nothing for DEVICE_FATAL. */
struct vb_ibv_async_event {
  union {
    void *object;
    int port_num;
  } element;
  int event_type;
};

struct vb_ibv_context;
struct vb_ibv_device;
struct vb_ibv_pd;
struct vb_ibv_mr;
struct vb_ibv_cq;
struct vb_ibv_qp;
struct vb_ibv_srq;
struct vb_ibv_ah;
struct vb_ibv_wc;
struct vb_ibv_send_wr;
struct vb_ibv_recv_wr;
struct vb_ibv_comp_channel;
struct vb_ibv_qp_init_attr;
struct vb_ibv_qp_attr;
struct vb_ibv_ah_attr;
struct vb_ibv_grh;
struct vb_ibv_cq_ex;
struct vb_ibv_cq_init_attr_ex;
struct vb_ibv_qp_ex;
struct vb_ibv_qp_init_attr_ex;
struct vb_ibv_device_attr_ex;
struct vb_ibv_query_device_ex_input;
struct vb_ibv_values_ex;
struct vb_ibv_dm;
struct vb_ibv_alloc_dm_attr;

typedef void (*vb_unused_fn)(void);

enum { VB_IBV_SYSFS_NAME_MAX = 64, VB_IBV_SYSFS_PATH_MAX = 256 };

struct vb_ibv_device {
  vb_unused_fn ops[2]; /* obsolete, NULL */
  int node_type;
  int transport_type;
  char name[VB_IBV_SYSFS_NAME_MAX];        /* "mlx5_0", "sim0" */
  char dev_name[VB_IBV_SYSFS_NAME_MAX];    /* "uverbs0" */
  char dev_path[VB_IBV_SYSFS_PATH_MAX];    /* /sys/class/infiniband_verbs/uverbs0 */
  char ibdev_path[VB_IBV_SYSFS_PATH_MAX];  /* /sys/class/infiniband/mlx5_0 */
};

/* The operations that inline functions of verbs.h reach through a context; the unused_ ones are holes of the real table. */
struct vb_ibv_context_ops {
  vb_unused_fn unused_query_device;
  vb_unused_fn unused_query_port;
  vb_unused_fn unused_alloc_pd;
  vb_unused_fn unused_dealloc_pd;
  vb_unused_fn unused_reg_mr;
  vb_unused_fn unused_rereg_mr;
  vb_unused_fn unused_dereg_mr;
  vb_unused_fn alloc_mw;
  vb_unused_fn bind_mw;
  vb_unused_fn dealloc_mw;
  vb_unused_fn unused_create_cq;
  int (*poll_cq)(struct vb_ibv_cq *cq, int num_entries, struct vb_ibv_wc *wc);
  int (*req_notify_cq)(struct vb_ibv_cq *cq, int solicited_only);
  vb_unused_fn unused_cq_event;
  vb_unused_fn unused_resize_cq;
  vb_unused_fn unused_destroy_cq;
  vb_unused_fn unused_create_srq;
  vb_unused_fn unused_modify_srq;
  vb_unused_fn unused_query_srq;
  vb_unused_fn unused_destroy_srq;
  int (*post_srq_recv)(struct vb_ibv_srq *srq, struct vb_ibv_recv_wr *wr, struct vb_ibv_recv_wr **bad_wr);
  vb_unused_fn unused_create_qp;
  vb_unused_fn unused_query_qp;
  vb_unused_fn unused_modify_qp;
  vb_unused_fn unused_destroy_qp;
  int (*post_send)(struct vb_ibv_qp *qp, struct vb_ibv_send_wr *wr, struct vb_ibv_send_wr **bad_wr);
  int (*post_recv)(struct vb_ibv_qp *qp, struct vb_ibv_recv_wr *wr, struct vb_ibv_recv_wr **bad_wr);
  vb_unused_fn unused_create_ah;
  vb_unused_fn unused_destroy_ah;
  vb_unused_fn unused_attach_mcast;
  vb_unused_fn unused_detach_mcast;
  vb_unused_fn unused_async_event;
};

struct vb_ibv_context {
  struct vb_ibv_device *device;
  struct vb_ibv_context_ops ops;
  int cmd_fd;
  int async_fd;
  int num_comp_vectors;
  pthread_mutex_t mutex;
  void *abi_compat; /* VB_IBV_ABI_IS_EXTENDED: the context is the tail of a vb_verbs_context */
};

#define VB_IBV_ABI_IS_EXTENDED ((void *)UINTPTR_MAX)

/*
 * What stands before an extended context. It grows at its *front*, so a caller checks `sz` before it trusts an operation: see
 * VB_VERBS_CONTEXT_HAS. Only the operations that we call or offer are typed.
 */
struct vb_verbs_context {
  int (*query_port)(struct vb_ibv_context *context, uint8_t port_num, struct vb_ibv_port_attr *attr, size_t attr_len);
  vb_unused_fn advise_mr;
  vb_unused_fn alloc_null_mr;
  vb_unused_fn read_counters;
  vb_unused_fn attach_counters_point_flow;
  vb_unused_fn create_counters;
  vb_unused_fn destroy_counters;
  struct vb_ibv_mr *(*reg_dm_mr)(struct vb_ibv_pd *pd, struct vb_ibv_dm *dm, uint64_t dm_offset, size_t length, unsigned int access);
  struct vb_ibv_dm *(*alloc_dm)(struct vb_ibv_context *context, struct vb_ibv_alloc_dm_attr *attr);
  int (*free_dm)(struct vb_ibv_dm *dm);
  vb_unused_fn modify_flow_action_esp;
  vb_unused_fn destroy_flow_action;
  vb_unused_fn create_flow_action_esp;
  vb_unused_fn modify_qp_rate_limit;
  vb_unused_fn alloc_parent_domain;
  vb_unused_fn dealloc_td;
  vb_unused_fn alloc_td;
  vb_unused_fn modify_cq;
  vb_unused_fn post_srq_ops;
  vb_unused_fn destroy_rwq_ind_table;
  vb_unused_fn create_rwq_ind_table;
  vb_unused_fn destroy_wq;
  vb_unused_fn modify_wq;
  vb_unused_fn create_wq;
  int (*query_rt_values)(struct vb_ibv_context *context, struct vb_ibv_values_ex *values);
  struct vb_ibv_cq_ex *(*create_cq_ex)(struct vb_ibv_context *context, struct vb_ibv_cq_init_attr_ex *init_attr);
  void *priv;
  int (*query_device_ex)(struct vb_ibv_context *context, const struct vb_ibv_query_device_ex_input *input,
                         struct vb_ibv_device_attr_ex *attr, size_t attr_size);
  vb_unused_fn destroy_flow;
  vb_unused_fn placeholder2;
  vb_unused_fn create_flow;
  vb_unused_fn placeholder1;
  vb_unused_fn open_qp;
  struct vb_ibv_qp *(*create_qp_ex)(struct vb_ibv_context *context, struct vb_ibv_qp_init_attr_ex *init_attr);
  vb_unused_fn get_srq_num;
  vb_unused_fn create_srq_ex;
  vb_unused_fn open_xrcd;
  vb_unused_fn close_xrcd;
  uint64_t placeholder3;
  size_t sz;
  struct vb_ibv_context context;
};

/* The extended part of a context, or NULL where there is none. */
static inline struct vb_verbs_context *vb_verbs_get_context(struct vb_ibv_context *context) {
  if (context->abi_compat != VB_IBV_ABI_IS_EXTENDED) return NULL;
  return (struct vb_verbs_context *)(void *)((uint8_t *)context - offsetof(struct vb_verbs_context, context));
}

/* True if the library behind `vctx` knows operation `op` and fills it. */
#define VB_VERBS_CONTEXT_HAS(vctx, op) \
  ((vctx) != NULL && (vctx)->sz >= sizeof(struct vb_verbs_context) - offsetof(struct vb_verbs_context, op) && (vctx)->op != NULL)

/*
 * Functions of the control path: X(name, version, result, arguments). Versions are those to ask of dlvsym; an empty string means
 * that the version differs between releases of rdma-core, ask with dlsym.
 *
 * int results: 0, or an errno value (ibv_query_*, ibv_close_device), or -1 with errno (ibv_get_async_event, ibv_query_gid,
 * ibv_query_pkey). Pointers: NULL with errno.
 */
#define VB_IBVERBS_CONTROL_FUNCTIONS(X)                                                                                     \
  X(ibv_get_device_list, "IBVERBS_1.1", struct vb_ibv_device **, (int *num_devices))                                        \
  X(ibv_free_device_list, "IBVERBS_1.1", void, (struct vb_ibv_device **list))                                               \
  X(ibv_get_device_name, "IBVERBS_1.1", const char *, (struct vb_ibv_device *device))                                       \
  X(ibv_get_device_guid, "IBVERBS_1.1", uint64_t, (struct vb_ibv_device *device))                                           \
  X(ibv_open_device, "IBVERBS_1.1", struct vb_ibv_context *, (struct vb_ibv_device *device))                                \
  X(ibv_close_device, "IBVERBS_1.1", int, (struct vb_ibv_context *context))                                                 \
  X(ibv_query_device, "IBVERBS_1.1", int, (struct vb_ibv_context *context, struct vb_ibv_device_attr *attr))                \
  X(ibv_query_port, "IBVERBS_1.1", int, (struct vb_ibv_context *context, uint8_t port_num, struct vb_ibv_port_attr *attr))  \
  X(ibv_query_gid, "IBVERBS_1.1", int,                                                                                      \
    (struct vb_ibv_context *context, uint8_t port_num, int index, union vb_ibv_gid *gid))                                   \
  X(ibv_query_pkey, "IBVERBS_1.1", int,                                                                                     \
    (struct vb_ibv_context *context, uint8_t port_num, int index, uint16_t *be_pkey))                                       \
  X(ibv_get_pkey_index, "IBVERBS_1.5", int, (struct vb_ibv_context *context, uint8_t port_num, uint16_t be_pkey))           \
  X(ibv_get_async_event, "IBVERBS_1.1", int, (struct vb_ibv_context *context, struct vb_ibv_async_event *event))            \
  X(ibv_ack_async_event, "IBVERBS_1.1", void, (struct vb_ibv_async_event *event))                                           \
  X(ibv_event_type_str, "IBVERBS_1.1", const char *, (int event))                                                           \
  X(ibv_node_type_str, "IBVERBS_1.1", const char *, (int node_type))                                                        \
  X(ibv_port_state_str, "IBVERBS_1.1", const char *, (int port_state))                                                      \
  X(_ibv_query_gid_ex, "IBVERBS_1.11", int,                                                                                 \
    (struct vb_ibv_context *context, uint32_t port_num, uint32_t gid_index, struct vb_ibv_gid_entry *entry, uint32_t flags, \
     size_t entry_size))                                                                                                    \
  X(_ibv_query_gid_table, "IBVERBS_1.11", ssize_t,                                                                          \
    (struct vb_ibv_context *context, struct vb_ibv_gid_entry *entries, size_t max_entries, uint32_t flags,                  \
     size_t entry_size))

/* One function pointer type per function: vb_ibv_get_device_list_fn and so on. */
#define VB_DECLARE_FN_TYPE(name, version, result, arguments) typedef result(*vb_##name##_fn) arguments;
VB_IBVERBS_CONTROL_FUNCTIONS(VB_DECLARE_FN_TYPE)

#ifdef __cplusplus
}
#endif

#include "verbena/ibverbs-data-path-abi.h"
#include "verbena/ibverbs-extended-abi.h"

#endif
