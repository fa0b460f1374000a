/*
 * Work requests, completions and the heads of queue objects: the data path's share of libibverbs' binary interface.
 * Included by ibverbs-abi.h, which says what the conventions are.
 */
#ifndef VERBENA_IBVERBS_DATA_PATH_ABI_H
#define VERBENA_IBVERBS_DATA_PATH_ABI_H

#include "verbena/ibverbs-abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vb_ibv_pd {
  struct vb_ibv_context *context;
  uint32_t handle;
};

struct vb_ibv_mr {
  struct vb_ibv_context *context;
  struct vb_ibv_pd *pd;
  void *addr;
  size_t length;
  uint32_t handle;
  uint32_t lkey;
  uint32_t rkey;
};

struct vb_ibv_ah {
  struct vb_ibv_context *context;
  struct vb_ibv_pd *pd;
  uint32_t handle;
};

struct vb_ibv_comp_channel {
  struct vb_ibv_context *context;
  int fd;
  int refcnt;
};

struct vb_ibv_cq {
  struct vb_ibv_context *context;
  struct vb_ibv_comp_channel *channel;
  void *cq_context;
  uint32_t handle;
  int cqe;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  uint32_t comp_events_completed;
  uint32_t async_events_completed;
};

struct vb_ibv_srq {
  struct vb_ibv_context *context;
  void *srq_context;
  struct vb_ibv_pd *pd;
  uint32_t handle;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  uint32_t events_completed;
};

struct vb_ibv_qp {
  struct vb_ibv_context *context;
  void *qp_context;
  struct vb_ibv_pd *pd;
  struct vb_ibv_cq *send_cq;
  struct vb_ibv_cq *recv_cq;
  struct vb_ibv_srq *srq;
  uint32_t handle;
  uint32_t qp_num;
  int state;
  int qp_type;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  uint32_t events_completed;
};

enum { VB_IBV_QPT_RC = 2, VB_IBV_QPT_UC = 3, VB_IBV_QPT_UD = 4 };

enum {
  VB_IBV_QPS_RESET = 0,
  VB_IBV_QPS_INIT = 1,
  VB_IBV_QPS_RTR = 2,
  VB_IBV_QPS_RTS = 3,
  VB_IBV_QPS_SQD = 4,
  VB_IBV_QPS_SQE = 5,
  VB_IBV_QPS_ERR = 6
};

enum {
  VB_IBV_QP_STATE = 1 << 0,
  VB_IBV_QP_CUR_STATE = 1 << 1,
  VB_IBV_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
  VB_IBV_QP_ACCESS_FLAGS = 1 << 3,
  VB_IBV_QP_PKEY_INDEX = 1 << 4,
  VB_IBV_QP_PORT = 1 << 5,
  VB_IBV_QP_QKEY = 1 << 6,
  VB_IBV_QP_AV = 1 << 7,
  VB_IBV_QP_PATH_MTU = 1 << 8,
  VB_IBV_QP_TIMEOUT = 1 << 9,
  VB_IBV_QP_RETRY_CNT = 1 << 10,
  VB_IBV_QP_RNR_RETRY = 1 << 11,
  VB_IBV_QP_RQ_PSN = 1 << 12,
  VB_IBV_QP_MAX_QP_RD_ATOMIC = 1 << 13,
  VB_IBV_QP_ALT_PATH = 1 << 14,
  VB_IBV_QP_MIN_RNR_TIMER = 1 << 15,
  VB_IBV_QP_SQ_PSN = 1 << 16,
  VB_IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
  VB_IBV_QP_PATH_MIG_STATE = 1 << 18,
  VB_IBV_QP_CAP = 1 << 19,
  VB_IBV_QP_DEST_QPN = 1 << 20
};

enum {
  VB_IBV_ACCESS_LOCAL_WRITE = 1 << 0,
  VB_IBV_ACCESS_REMOTE_WRITE = 1 << 1,
  VB_IBV_ACCESS_REMOTE_READ = 1 << 2,
  VB_IBV_ACCESS_REMOTE_ATOMIC = 1 << 3,
  VB_IBV_ACCESS_ZERO_BASED = 1 << 5, /* of device memory: addresses count from its first byte */
  VB_IBV_ACCESS_HUGETLB = 1 << 7,    /* a hint about the pages */
  VB_IBV_ACCESS_RELAXED_ORDERING = 1 << 20 /* and above: a device without the feature ignores them */
};

/* What ibv_rereg_mr changes, and what it returns besides 0: the region is what it was. */
enum { VB_IBV_REREG_MR_CHANGE_TRANSLATION = 1 << 0, VB_IBV_REREG_MR_CHANGE_PD = 1 << 1, VB_IBV_REREG_MR_CHANGE_ACCESS = 1 << 2 };
enum { VB_IBV_REREG_MR_ERR_INPUT = -1 };

struct vb_ibv_qp_cap {
  uint32_t max_send_wr;
  uint32_t max_recv_wr;
  uint32_t max_send_sge;
  uint32_t max_recv_sge;
  uint32_t max_inline_data;
};

struct vb_ibv_qp_init_attr {
  void *qp_context;
  struct vb_ibv_cq *send_cq;
  struct vb_ibv_cq *recv_cq;
  struct vb_ibv_srq *srq;
  struct vb_ibv_qp_cap cap;
  int qp_type;
  int sq_sig_all;
};

struct vb_ibv_global_route {
  union vb_ibv_gid dgid;
  uint32_t flow_label;
  uint8_t sgid_index;
  uint8_t hop_limit;
  uint8_t traffic_class;
};

struct vb_ibv_grh {
  uint32_t be_version_tclass_flow;
  uint16_t be_paylen;
  uint8_t next_hdr;
  uint8_t hop_limit;
  union vb_ibv_gid sgid;
  union vb_ibv_gid dgid;
};

struct vb_ibv_ah_attr {
  struct vb_ibv_global_route grh;
  uint16_t dlid;
  uint8_t sl;
  uint8_t src_path_bits;
  uint8_t static_rate;
  uint8_t is_global;
  uint8_t port_num;
};

struct vb_ibv_qp_attr {
  int qp_state;
  int cur_qp_state;
  int path_mtu;
  int path_mig_state;
  uint32_t qkey;
  uint32_t rq_psn;
  uint32_t sq_psn;
  uint32_t dest_qp_num;
  unsigned int qp_access_flags;
  struct vb_ibv_qp_cap cap;
  struct vb_ibv_ah_attr ah_attr;
  struct vb_ibv_ah_attr alt_ah_attr;
  uint16_t pkey_index;
  uint16_t alt_pkey_index;
  uint8_t en_sqd_async_notify;
  uint8_t sq_draining;
  uint8_t max_rd_atomic;
  uint8_t max_dest_rd_atomic;
  uint8_t min_rnr_timer;
  uint8_t port_num;
  uint8_t timeout;
  uint8_t retry_cnt;
  uint8_t rnr_retry;
  uint8_t alt_port_num;
  uint8_t alt_timeout;
  uint32_t rate_limit;
};

enum { VB_IBV_WC_GRH = 1 << 0, VB_IBV_WC_WITH_IMM = 1 << 1 };
enum {
  VB_IBV_WC_SEND = 0,
  VB_IBV_WC_RDMA_WRITE = 1,
  VB_IBV_WC_RDMA_READ = 2,
  VB_IBV_WC_COMP_SWAP = 3,
  VB_IBV_WC_FETCH_ADD = 4,
  VB_IBV_WC_RECV = 1 << 7,
  VB_IBV_WC_RECV_RDMA_WITH_IMM = 129
};

enum {
  VB_IBV_WC_SUCCESS = 0,
  VB_IBV_WC_LOC_LEN_ERR = 1,
  VB_IBV_WC_LOC_QP_OP_ERR = 2,
  VB_IBV_WC_LOC_EEC_OP_ERR = 3,
  VB_IBV_WC_LOC_PROT_ERR = 4,
  VB_IBV_WC_WR_FLUSH_ERR = 5,
  VB_IBV_WC_MW_BIND_ERR = 6,
  VB_IBV_WC_BAD_RESP_ERR = 7,
  VB_IBV_WC_LOC_ACCESS_ERR = 8,
  VB_IBV_WC_REM_INV_REQ_ERR = 9,
  VB_IBV_WC_REM_ACCESS_ERR = 10,
  VB_IBV_WC_REM_OP_ERR = 11,
  VB_IBV_WC_RETRY_EXC_ERR = 12,
  VB_IBV_WC_RNR_RETRY_EXC_ERR = 13,
  VB_IBV_WC_FATAL_ERR = 19,
  VB_IBV_WC_RESP_TIMEOUT_ERR = 20,
  VB_IBV_WC_GENERAL_ERR = 21
};

struct vb_ibv_wc {
  uint64_t wr_id;
  int status;
  int opcode;
  uint32_t vendor_err;
  uint32_t byte_len;
  uint32_t be_imm_data; /* with VB_IBV_WC_WITH_IMM */
  uint32_t qp_num;
  uint32_t src_qp;
  unsigned int wc_flags;
  uint16_t pkey_index;
  uint16_t slid;
  uint8_t sl;
  uint8_t dlid_path_bits;
};

struct vb_ibv_sge {
  uint64_t addr;
  uint32_t length;
  uint32_t lkey;
};

enum {
  VB_IBV_WR_RDMA_WRITE = 0,
  VB_IBV_WR_RDMA_WRITE_WITH_IMM = 1,
  VB_IBV_WR_SEND = 2,
  VB_IBV_WR_SEND_WITH_IMM = 3,
  VB_IBV_WR_RDMA_READ = 4,
  VB_IBV_WR_ATOMIC_CMP_AND_SWP = 5,
  VB_IBV_WR_ATOMIC_FETCH_AND_ADD = 6
};

enum { VB_IBV_SEND_FENCE = 1, VB_IBV_SEND_SIGNALED = 2, VB_IBV_SEND_SOLICITED = 4, VB_IBV_SEND_INLINE = 8 };

struct vb_ibv_send_wr {
  uint64_t wr_id;
  struct vb_ibv_send_wr *next;
  struct vb_ibv_sge *sg_list;
  int num_sge;
  int opcode;
  unsigned int send_flags;
  uint32_t be_imm_data;
  union {
    struct {
      uint64_t remote_addr;
      uint32_t rkey;
    } rdma;
    struct {
      uint64_t remote_addr;
      uint64_t compare_add;
      uint64_t swap;
      uint32_t rkey;
    } atomic;
    struct {
      struct vb_ibv_ah *ah;
      uint32_t remote_qpn;
      uint32_t remote_qkey;
    } ud;
  } wr;
  uint64_t unused[7]; /* XRC, memory windows, segmentation offload: not used, but part of the size */
};

struct vb_ibv_recv_wr {
  uint64_t wr_id;
  struct vb_ibv_recv_wr *next;
  struct vb_ibv_sge *sg_list;
  int num_sge;
};

struct vb_ibv_srq_attr {
  uint32_t max_wr;
  uint32_t max_sge;
  uint32_t srq_limit;
};

struct vb_ibv_srq_init_attr {
  void *srq_context;
  struct vb_ibv_srq_attr attr;
};

enum { VB_IBV_SRQ_MAX_WR = 1 << 0, VB_IBV_SRQ_LIMIT = 1 << 1 };

/* X(name, version, result, arguments), as VB_IBVERBS_CONTROL_FUNCTIONS. int results are 0 or an errno value. */
#define VB_IBVERBS_DATA_FUNCTIONS(X)                                                                                          \
  X(ibv_alloc_pd, "IBVERBS_1.1", struct vb_ibv_pd *, (struct vb_ibv_context *context))                                        \
  X(ibv_dealloc_pd, "IBVERBS_1.1", int, (struct vb_ibv_pd *pd))                                                               \
  X(ibv_reg_mr, "IBVERBS_1.1", struct vb_ibv_mr *, (struct vb_ibv_pd *pd, void *addr, size_t length, int access))             \
  X(ibv_dereg_mr, "IBVERBS_1.1", int, (struct vb_ibv_mr *mr))                                                                 \
  X(ibv_create_comp_channel, "IBVERBS_1.0", struct vb_ibv_comp_channel *, (struct vb_ibv_context *context))                   \
  X(ibv_destroy_comp_channel, "IBVERBS_1.0", int, (struct vb_ibv_comp_channel *channel))                                      \
  X(ibv_create_cq, "IBVERBS_1.1", struct vb_ibv_cq *,                                                                         \
    (struct vb_ibv_context *context, int cqe, void *cq_context, struct vb_ibv_comp_channel *channel, int comp_vector))        \
  X(ibv_resize_cq, "IBVERBS_1.1", int, (struct vb_ibv_cq *cq, int cqe))                                                       \
  X(ibv_destroy_cq, "IBVERBS_1.1", int, (struct vb_ibv_cq *cq))                                                               \
  X(ibv_get_cq_event, "IBVERBS_1.1", int,                                                                                     \
    (struct vb_ibv_comp_channel *channel, struct vb_ibv_cq **cq, void **cq_context))                                          \
  X(ibv_ack_cq_events, "IBVERBS_1.1", void, (struct vb_ibv_cq *cq, unsigned int nevents))                                     \
  X(ibv_create_qp, "IBVERBS_1.1", struct vb_ibv_qp *, (struct vb_ibv_pd *pd, struct vb_ibv_qp_init_attr *attr))               \
  X(ibv_modify_qp, "IBVERBS_1.1", int, (struct vb_ibv_qp *qp, struct vb_ibv_qp_attr *attr, int attr_mask))                    \
  X(ibv_query_qp, "IBVERBS_1.1", int,                                                                                         \
    (struct vb_ibv_qp *qp, struct vb_ibv_qp_attr *attr, int attr_mask, struct vb_ibv_qp_init_attr *init_attr))                \
  X(ibv_destroy_qp, "IBVERBS_1.1", int, (struct vb_ibv_qp *qp))                                                               \
  X(ibv_create_ah, "IBVERBS_1.1", struct vb_ibv_ah *, (struct vb_ibv_pd *pd, struct vb_ibv_ah_attr *attr))                    \
  X(ibv_destroy_ah, "IBVERBS_1.1", int, (struct vb_ibv_ah *ah))                                                               \
  X(ibv_init_ah_from_wc, "IBVERBS_1.1", int,                                                                                  \
    (struct vb_ibv_context *context, uint8_t port_num, struct vb_ibv_wc *wc, struct vb_ibv_grh *grh,                          \
     struct vb_ibv_ah_attr *attr))                                                                                            \
  X(ibv_create_ah_from_wc, "IBVERBS_1.1", struct vb_ibv_ah *,                                                                 \
    (struct vb_ibv_pd *pd, struct vb_ibv_wc *wc, struct vb_ibv_grh *grh, uint8_t port_num))                                   \
  X(ibv_attach_mcast, "IBVERBS_1.1", int, (struct vb_ibv_qp *qp, const union vb_ibv_gid *gid, uint16_t lid))                  \
  X(ibv_detach_mcast, "IBVERBS_1.1", int, (struct vb_ibv_qp *qp, const union vb_ibv_gid *gid, uint16_t lid))                  \
  X(ibv_create_srq, "IBVERBS_1.1", struct vb_ibv_srq *, (struct vb_ibv_pd *pd, struct vb_ibv_srq_init_attr *attr))             \
  X(ibv_modify_srq, "IBVERBS_1.1", int, (struct vb_ibv_srq *srq, struct vb_ibv_srq_attr *attr, int attr_mask))                \
  X(ibv_query_srq, "IBVERBS_1.1", int, (struct vb_ibv_srq *srq, struct vb_ibv_srq_attr *attr))                                \
  X(ibv_destroy_srq, "IBVERBS_1.1", int, (struct vb_ibv_srq *srq))                                                            \
  X(ibv_wc_status_str, "IBVERBS_1.1", const char *, (int status))                                                             \
  X(ibv_fork_init, "IBVERBS_1.1", int, (void))

VB_IBVERBS_DATA_FUNCTIONS(VB_DECLARE_FN_TYPE)

#ifdef __cplusplus
}
#endif

#endif
