/*
 * The extended interface of libibverbs, which grew beside the first one: completion queues that are read field by field, queue pairs whose
 * sends are built by function calls, device memory, more attributes of a device. Programs reach all of it through a context, see
 * vb_verbs_context. Included by ibverbs-abi.h, which says what the conventions are.
 */
#ifndef VERBENA_IBVERBS_EXTENDED_ABI_H
#define VERBENA_IBVERBS_EXTENDED_ABI_H

#include "verbena/ibverbs-abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vb_ibv_odp_caps {
  uint64_t general_caps;
  struct {
    uint32_t rc_odp_caps;
    uint32_t uc_odp_caps;
    uint32_t ud_odp_caps;
  } per_transport_caps;
};

struct vb_ibv_tso_caps {
  uint32_t max_tso;
  uint32_t supported_qpts;
};

struct vb_ibv_rss_caps {
  uint32_t supported_qpts;
  uint32_t max_rwq_indirection_tables;
  uint32_t max_rwq_indirection_table_size;
  uint64_t rx_hash_fields_mask;
  uint8_t rx_hash_function;
};

struct vb_ibv_packet_pacing_caps {
  uint32_t qp_rate_limit_min;
  uint32_t qp_rate_limit_max;
  uint32_t supported_qpts;
};

struct vb_ibv_tm_caps {
  uint32_t max_rndv_hdr_size;
  uint32_t max_num_tags;
  uint32_t flags;
  uint32_t max_ops;
  uint32_t max_sge;
};

struct vb_ibv_cq_moderation_caps {
  uint16_t max_cq_count;
  uint16_t max_cq_period; /* microseconds */
};

struct vb_ibv_pci_atomic_caps {
  uint16_t fetch_add;
  uint16_t swap;
  uint16_t compare_swap;
};

/* It grows at its end: a caller says how much of it there is. */
struct vb_ibv_device_attr_ex {
  struct vb_ibv_device_attr orig_attr;
  uint32_t comp_mask;
  struct vb_ibv_odp_caps odp_caps;
  uint64_t completion_timestamp_mask; /* the bits of a time stamp that count; 0: there are none */
  uint64_t hca_core_clock;            /* kHz: what time stamps count in */
  uint64_t device_cap_flags_ex;
  struct vb_ibv_tso_caps tso_caps;
  struct vb_ibv_rss_caps rss_caps;
  uint32_t max_wq_type_rq;
  struct vb_ibv_packet_pacing_caps packet_pacing_caps;
  uint32_t raw_packet_caps;
  struct vb_ibv_tm_caps tm_caps;
  struct vb_ibv_cq_moderation_caps cq_mod_caps;
  uint64_t max_dm_size; /* bytes */
  struct vb_ibv_pci_atomic_caps pci_atomic_caps;
  uint32_t xrc_odp_caps;
  uint32_t phys_port_cnt_ex;
};

struct vb_ibv_query_device_ex_input {
  uint32_t comp_mask;
};

enum { VB_IBV_VALUES_MASK_RAW_CLOCK = 1 << 0 };

struct vb_ibv_values_ex {
  uint32_t comp_mask; /* asked for, and then: given */
  struct timespec raw_clock;
};

/* What a program wants to read of completions. */
enum {
  VB_IBV_WC_EX_WITH_BYTE_LEN = 1 << 0,
  VB_IBV_WC_EX_WITH_IMM = 1 << 1,
  VB_IBV_WC_EX_WITH_QP_NUM = 1 << 2,
  VB_IBV_WC_EX_WITH_SRC_QP = 1 << 3,
  VB_IBV_WC_EX_WITH_SLID = 1 << 4,
  VB_IBV_WC_EX_WITH_SL = 1 << 5,
  VB_IBV_WC_EX_WITH_DLID_PATH_BITS = 1 << 6,
  VB_IBV_WC_EX_WITH_COMPLETION_TIMESTAMP = 1 << 7
};

enum { VB_IBV_CQ_INIT_ATTR_MASK_FLAGS = 1 << 0 };
enum { VB_IBV_CREATE_CQ_ATTR_SINGLE_THREADED = 1 << 0 };

struct vb_ibv_cq_init_attr_ex {
  uint32_t cqe;
  void *cq_context;
  struct vb_ibv_comp_channel *channel;
  uint32_t comp_vector;
  uint64_t wc_flags; /* VB_IBV_WC_EX_… */
  uint32_t comp_mask;
  uint32_t flags;
  struct vb_ibv_pd *parent_domain;
};

struct vb_ibv_poll_cq_attr {
  uint32_t comp_mask;
};

/* Begins like a vb_ibv_cq. A field that was not asked for at creation has no function to read it. */
struct vb_ibv_cq_ex {
  struct vb_ibv_context *context;
  struct vb_ibv_comp_channel *channel;
  void *cq_context;
  uint32_t handle;
  int cqe;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  uint32_t comp_events_completed;
  uint32_t async_events_completed;
  uint32_t comp_mask;
  int status; /* with wr_id: of the completion that is being looked at */
  uint64_t wr_id;
  /* 0, ENOENT when there is none, or another errno value. After 0, and only then, end_poll ends it. */
  int (*start_poll)(struct vb_ibv_cq_ex *current, struct vb_ibv_poll_cq_attr *attr);
  int (*next_poll)(struct vb_ibv_cq_ex *current);
  void (*end_poll)(struct vb_ibv_cq_ex *current);
  int (*read_opcode)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_vendor_err)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_byte_len)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_be_imm_data)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_qp_num)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_src_qp)(struct vb_ibv_cq_ex *current);
  unsigned int (*read_wc_flags)(struct vb_ibv_cq_ex *current);
  uint32_t (*read_slid)(struct vb_ibv_cq_ex *current);
  uint8_t (*read_sl)(struct vb_ibv_cq_ex *current);
  uint8_t (*read_dlid_path_bits)(struct vb_ibv_cq_ex *current);
  uint64_t (*read_completion_ts)(struct vb_ibv_cq_ex *current);
  vb_unused_fn read_cvlan;
  vb_unused_fn read_flow_tag;
  vb_unused_fn read_tm_info;
  vb_unused_fn read_completion_wallclock_ns;
};

enum {
  VB_IBV_QP_INIT_ATTR_PD = 1 << 0,
  VB_IBV_QP_INIT_ATTR_XRCD = 1 << 1,
  VB_IBV_QP_INIT_ATTR_CREATE_FLAGS = 1 << 2,
  VB_IBV_QP_INIT_ATTR_MAX_TSO_HEADER = 1 << 3,
  VB_IBV_QP_INIT_ATTR_IND_TABLE = 1 << 4,
  VB_IBV_QP_INIT_ATTR_RX_HASH = 1 << 5,
  VB_IBV_QP_INIT_ATTR_SEND_OPS_FLAGS = 1 << 6
};

enum {
  VB_IBV_QP_EX_WITH_RDMA_WRITE = 1 << 0,
  VB_IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM = 1 << 1,
  VB_IBV_QP_EX_WITH_SEND = 1 << 2,
  VB_IBV_QP_EX_WITH_SEND_WITH_IMM = 1 << 3,
  VB_IBV_QP_EX_WITH_RDMA_READ = 1 << 4,
  VB_IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP = 1 << 5,
  VB_IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD = 1 << 6,
  VB_IBV_QP_EX_WITH_LOCAL_INV = 1 << 7
};

struct vb_ibv_rx_hash_conf {
  uint8_t rx_hash_function;
  uint8_t rx_hash_key_len;
  uint8_t *rx_hash_key;
  uint64_t rx_hash_fields_mask;
};

/* Begins like a vb_ibv_qp_init_attr. */
struct vb_ibv_qp_init_attr_ex {
  void *qp_context;
  struct vb_ibv_cq *send_cq;
  struct vb_ibv_cq *recv_cq;
  struct vb_ibv_srq *srq;
  struct vb_ibv_qp_cap cap;
  int qp_type;
  int sq_sig_all;
  uint32_t comp_mask; /* VB_IBV_QP_INIT_ATTR_… */
  struct vb_ibv_pd *pd;
  void *xrcd;
  uint32_t create_flags;
  uint16_t max_tso_header;
  void *rwq_ind_tbl;
  struct vb_ibv_rx_hash_conf rx_hash_conf;
  uint32_t source_qpn;
  uint64_t send_ops_flags; /* VB_IBV_QP_EX_… */
};

struct vb_ibv_data_buf {
  void *addr;
  size_t length;
};

/*
 * A queue pair whose sends are built by calls: wr_start, then for each request one operation (which takes wr_id and wr_flags) and what sets
 * its data and its address, then wr_complete, or wr_abort. An operation that was not asked for at creation is NULL.
 */
struct vb_ibv_qp_ex {
  struct vb_ibv_qp qp_base;
  uint64_t comp_mask;
  uint64_t wr_id;
  unsigned int wr_flags; /* VB_IBV_SEND_… */
  void (*wr_atomic_cmp_swp)(struct vb_ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap);
  void (*wr_atomic_fetch_add)(struct vb_ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add);
  vb_unused_fn wr_bind_mw;
  vb_unused_fn wr_local_inv;
  void (*wr_rdma_read)(struct vb_ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
  void (*wr_rdma_write)(struct vb_ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr);
  void (*wr_rdma_write_imm)(struct vb_ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint32_t be_imm_data);
  void (*wr_send)(struct vb_ibv_qp_ex *qp);
  void (*wr_send_imm)(struct vb_ibv_qp_ex *qp, uint32_t be_imm_data);
  vb_unused_fn wr_send_inv;
  vb_unused_fn wr_send_tso;
  void (*wr_set_ud_addr)(struct vb_ibv_qp_ex *qp, struct vb_ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey);
  vb_unused_fn wr_set_xrc_srqn;
  void (*wr_set_inline_data)(struct vb_ibv_qp_ex *qp, void *addr, size_t length);
  void (*wr_set_inline_data_list)(struct vb_ibv_qp_ex *qp, size_t num_buf, const struct vb_ibv_data_buf *buf_list);
  void (*wr_set_sge)(struct vb_ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length);
  void (*wr_set_sge_list)(struct vb_ibv_qp_ex *qp, size_t num_sge, const struct vb_ibv_sge *sg_list);
  void (*wr_start)(struct vb_ibv_qp_ex *qp);
  int (*wr_complete)(struct vb_ibv_qp_ex *qp);
  void (*wr_abort)(struct vb_ibv_qp_ex *qp);
  vb_unused_fn wr_atomic_write;
};

struct vb_ibv_alloc_dm_attr {
  size_t length;
  uint32_t log_align_req;
  uint32_t comp_mask;
};

/* Memory of the device. The copying functions return 0 or an errno value. */
struct vb_ibv_dm {
  struct vb_ibv_context *context;
  int (*memcpy_to_dm)(struct vb_ibv_dm *dm, uint64_t dm_offset, const void *host_addr, size_t length);
  int (*memcpy_from_dm)(void *host_addr, struct vb_ibv_dm *dm, uint64_t dm_offset, size_t length);
  uint32_t comp_mask;
  uint32_t handle;
};

#ifdef __cplusplus
}
#endif

#endif
