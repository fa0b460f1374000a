// Compares verbena/ibverbs-abi.h and verbena/ibumad-abi.h with rdma-core's own headers, field by field. There is nothing to run:
// if this file compiles, the copies are right. Built only where the real headers are installed.
#include <infiniband/umad.h>
#include <infiniband/verbs.h>

#include "verbena/ibumad-abi.h"
#include "verbena/ibverbs-abi.h"

#define SAME_SIZE(type) \
  static_assert(sizeof(struct vb_##type) == sizeof(struct type) && alignof(struct vb_##type) == alignof(struct type), #type)
#define SAME_FIELD(type, ours, theirs)                                                                                         \
  static_assert(offsetof(struct vb_##type, ours) == offsetof(struct type, theirs) &&                                           \
                    sizeof(((struct vb_##type *)nullptr)->ours) == sizeof(((struct type *)nullptr)->theirs),                   \
                #type "." #theirs)
#define SAME_VALUE(name) static_assert(static_cast<long>(VB_##name) == static_cast<long>(name), #name)

// ---- libibverbs ----
static_assert(sizeof(union vb_ibv_gid) == sizeof(union ibv_gid) && alignof(union vb_ibv_gid) == alignof(union ibv_gid), "ibv_gid");
SAME_SIZE(ibv_gid_entry);
SAME_FIELD(ibv_gid_entry, gid, gid);
SAME_FIELD(ibv_gid_entry, gid_index, gid_index);
SAME_FIELD(ibv_gid_entry, port_num, port_num);
SAME_FIELD(ibv_gid_entry, gid_type, gid_type);
SAME_FIELD(ibv_gid_entry, ndev_ifindex, ndev_ifindex);

SAME_SIZE(ibv_device_attr);
SAME_FIELD(ibv_device_attr, fw_ver, fw_ver);
SAME_FIELD(ibv_device_attr, be_node_guid, node_guid);
SAME_FIELD(ibv_device_attr, be_sys_image_guid, sys_image_guid);
SAME_FIELD(ibv_device_attr, max_mr_size, max_mr_size);
SAME_FIELD(ibv_device_attr, page_size_cap, page_size_cap);
SAME_FIELD(ibv_device_attr, vendor_id, vendor_id);
SAME_FIELD(ibv_device_attr, vendor_part_id, vendor_part_id);
SAME_FIELD(ibv_device_attr, hw_ver, hw_ver);
SAME_FIELD(ibv_device_attr, max_qp, max_qp);
SAME_FIELD(ibv_device_attr, max_qp_wr, max_qp_wr);
SAME_FIELD(ibv_device_attr, device_cap_flags, device_cap_flags);
SAME_FIELD(ibv_device_attr, max_sge, max_sge);
SAME_FIELD(ibv_device_attr, max_sge_rd, max_sge_rd);
SAME_FIELD(ibv_device_attr, max_cq, max_cq);
SAME_FIELD(ibv_device_attr, max_cqe, max_cqe);
SAME_FIELD(ibv_device_attr, max_mr, max_mr);
SAME_FIELD(ibv_device_attr, max_pd, max_pd);
SAME_FIELD(ibv_device_attr, max_qp_rd_atom, max_qp_rd_atom);
SAME_FIELD(ibv_device_attr, max_ee_rd_atom, max_ee_rd_atom);
SAME_FIELD(ibv_device_attr, max_res_rd_atom, max_res_rd_atom);
SAME_FIELD(ibv_device_attr, max_qp_init_rd_atom, max_qp_init_rd_atom);
SAME_FIELD(ibv_device_attr, max_ee_init_rd_atom, max_ee_init_rd_atom);
SAME_FIELD(ibv_device_attr, atomic_cap, atomic_cap);
SAME_FIELD(ibv_device_attr, max_ee, max_ee);
SAME_FIELD(ibv_device_attr, max_rdd, max_rdd);
SAME_FIELD(ibv_device_attr, max_mw, max_mw);
SAME_FIELD(ibv_device_attr, max_raw_ipv6_qp, max_raw_ipv6_qp);
SAME_FIELD(ibv_device_attr, max_raw_ethy_qp, max_raw_ethy_qp);
SAME_FIELD(ibv_device_attr, max_mcast_grp, max_mcast_grp);
SAME_FIELD(ibv_device_attr, max_mcast_qp_attach, max_mcast_qp_attach);
SAME_FIELD(ibv_device_attr, max_total_mcast_qp_attach, max_total_mcast_qp_attach);
SAME_FIELD(ibv_device_attr, max_ah, max_ah);
SAME_FIELD(ibv_device_attr, max_fmr, max_fmr);
SAME_FIELD(ibv_device_attr, max_map_per_fmr, max_map_per_fmr);
SAME_FIELD(ibv_device_attr, max_srq, max_srq);
SAME_FIELD(ibv_device_attr, max_srq_wr, max_srq_wr);
SAME_FIELD(ibv_device_attr, max_srq_sge, max_srq_sge);
SAME_FIELD(ibv_device_attr, max_pkeys, max_pkeys);
SAME_FIELD(ibv_device_attr, local_ca_ack_delay, local_ca_ack_delay);
SAME_FIELD(ibv_device_attr, phys_port_cnt, phys_port_cnt);

// Newer libraries have one more field at its end; those that do not, are given its length and leave it alone.
static_assert(sizeof(vb_ibv_port_attr) >= sizeof(ibv_port_attr) && offsetof(vb_ibv_port_attr, active_speed_ex) == 52, "size of ibv_port_attr");
SAME_FIELD(ibv_port_attr, state, state);
SAME_FIELD(ibv_port_attr, max_mtu, max_mtu);
SAME_FIELD(ibv_port_attr, active_mtu, active_mtu);
SAME_FIELD(ibv_port_attr, gid_tbl_len, gid_tbl_len);
SAME_FIELD(ibv_port_attr, port_cap_flags, port_cap_flags);
SAME_FIELD(ibv_port_attr, max_msg_sz, max_msg_sz);
SAME_FIELD(ibv_port_attr, bad_pkey_cntr, bad_pkey_cntr);
SAME_FIELD(ibv_port_attr, qkey_viol_cntr, qkey_viol_cntr);
SAME_FIELD(ibv_port_attr, pkey_tbl_len, pkey_tbl_len);
SAME_FIELD(ibv_port_attr, lid, lid);
SAME_FIELD(ibv_port_attr, sm_lid, sm_lid);
SAME_FIELD(ibv_port_attr, lmc, lmc);
SAME_FIELD(ibv_port_attr, max_vl_num, max_vl_num);
SAME_FIELD(ibv_port_attr, sm_sl, sm_sl);
SAME_FIELD(ibv_port_attr, subnet_timeout, subnet_timeout);
SAME_FIELD(ibv_port_attr, init_type_reply, init_type_reply);
SAME_FIELD(ibv_port_attr, active_width, active_width);
SAME_FIELD(ibv_port_attr, active_speed, active_speed);
SAME_FIELD(ibv_port_attr, phys_state, phys_state);
SAME_FIELD(ibv_port_attr, link_layer, link_layer);
SAME_FIELD(ibv_port_attr, flags, flags);
SAME_FIELD(ibv_port_attr, port_cap_flags2, port_cap_flags2);

SAME_SIZE(ibv_async_event);
SAME_FIELD(ibv_async_event, element, element);
SAME_FIELD(ibv_async_event, event_type, event_type);

SAME_SIZE(ibv_device);
SAME_FIELD(ibv_device, ops, _ops);
SAME_FIELD(ibv_device, node_type, node_type);
SAME_FIELD(ibv_device, transport_type, transport_type);
SAME_FIELD(ibv_device, name, name);
SAME_FIELD(ibv_device, dev_name, dev_name);
SAME_FIELD(ibv_device, dev_path, dev_path);
SAME_FIELD(ibv_device, ibdev_path, ibdev_path);

SAME_SIZE(ibv_context_ops);
SAME_FIELD(ibv_context_ops, unused_query_device, _compat_query_device);
SAME_FIELD(ibv_context_ops, unused_query_port, _compat_query_port);
SAME_FIELD(ibv_context_ops, unused_alloc_pd, _compat_alloc_pd);
SAME_FIELD(ibv_context_ops, unused_dealloc_pd, _compat_dealloc_pd);
SAME_FIELD(ibv_context_ops, unused_reg_mr, _compat_reg_mr);
SAME_FIELD(ibv_context_ops, unused_rereg_mr, _compat_rereg_mr);
SAME_FIELD(ibv_context_ops, unused_dereg_mr, _compat_dereg_mr);
SAME_FIELD(ibv_context_ops, alloc_mw, alloc_mw);
SAME_FIELD(ibv_context_ops, bind_mw, bind_mw);
SAME_FIELD(ibv_context_ops, dealloc_mw, dealloc_mw);
SAME_FIELD(ibv_context_ops, unused_create_cq, _compat_create_cq);
SAME_FIELD(ibv_context_ops, poll_cq, poll_cq);
SAME_FIELD(ibv_context_ops, req_notify_cq, req_notify_cq);
SAME_FIELD(ibv_context_ops, unused_cq_event, _compat_cq_event);
SAME_FIELD(ibv_context_ops, unused_resize_cq, _compat_resize_cq);
SAME_FIELD(ibv_context_ops, unused_destroy_cq, _compat_destroy_cq);
SAME_FIELD(ibv_context_ops, unused_create_srq, _compat_create_srq);
SAME_FIELD(ibv_context_ops, unused_modify_srq, _compat_modify_srq);
SAME_FIELD(ibv_context_ops, unused_query_srq, _compat_query_srq);
SAME_FIELD(ibv_context_ops, unused_destroy_srq, _compat_destroy_srq);
SAME_FIELD(ibv_context_ops, post_srq_recv, post_srq_recv);
SAME_FIELD(ibv_context_ops, unused_create_qp, _compat_create_qp);
SAME_FIELD(ibv_context_ops, unused_query_qp, _compat_query_qp);
SAME_FIELD(ibv_context_ops, unused_modify_qp, _compat_modify_qp);
SAME_FIELD(ibv_context_ops, unused_destroy_qp, _compat_destroy_qp);
SAME_FIELD(ibv_context_ops, post_send, post_send);
SAME_FIELD(ibv_context_ops, post_recv, post_recv);
SAME_FIELD(ibv_context_ops, unused_create_ah, _compat_create_ah);
SAME_FIELD(ibv_context_ops, unused_destroy_ah, _compat_destroy_ah);
SAME_FIELD(ibv_context_ops, unused_attach_mcast, _compat_attach_mcast);
SAME_FIELD(ibv_context_ops, unused_detach_mcast, _compat_detach_mcast);
SAME_FIELD(ibv_context_ops, unused_async_event, _compat_async_event);

SAME_SIZE(ibv_context);
SAME_FIELD(ibv_context, device, device);
SAME_FIELD(ibv_context, ops, ops);
SAME_FIELD(ibv_context, cmd_fd, cmd_fd);
SAME_FIELD(ibv_context, async_fd, async_fd);
SAME_FIELD(ibv_context, num_comp_vectors, num_comp_vectors);
SAME_FIELD(ibv_context, mutex, mutex);
SAME_FIELD(ibv_context, abi_compat, abi_compat);

SAME_SIZE(verbs_context);
SAME_FIELD(verbs_context, query_port, query_port);
SAME_FIELD(verbs_context, advise_mr, advise_mr);
SAME_FIELD(verbs_context, alloc_null_mr, alloc_null_mr);
SAME_FIELD(verbs_context, read_counters, read_counters);
SAME_FIELD(verbs_context, attach_counters_point_flow, attach_counters_point_flow);
SAME_FIELD(verbs_context, create_counters, create_counters);
SAME_FIELD(verbs_context, destroy_counters, destroy_counters);
SAME_FIELD(verbs_context, reg_dm_mr, reg_dm_mr);
SAME_FIELD(verbs_context, alloc_dm, alloc_dm);
SAME_FIELD(verbs_context, free_dm, free_dm);
SAME_FIELD(verbs_context, modify_flow_action_esp, modify_flow_action_esp);
SAME_FIELD(verbs_context, destroy_flow_action, destroy_flow_action);
SAME_FIELD(verbs_context, create_flow_action_esp, create_flow_action_esp);
SAME_FIELD(verbs_context, modify_qp_rate_limit, modify_qp_rate_limit);
SAME_FIELD(verbs_context, alloc_parent_domain, alloc_parent_domain);
SAME_FIELD(verbs_context, dealloc_td, dealloc_td);
SAME_FIELD(verbs_context, alloc_td, alloc_td);
SAME_FIELD(verbs_context, modify_cq, modify_cq);
SAME_FIELD(verbs_context, post_srq_ops, post_srq_ops);
SAME_FIELD(verbs_context, destroy_rwq_ind_table, destroy_rwq_ind_table);
SAME_FIELD(verbs_context, create_rwq_ind_table, create_rwq_ind_table);
SAME_FIELD(verbs_context, destroy_wq, destroy_wq);
SAME_FIELD(verbs_context, modify_wq, modify_wq);
SAME_FIELD(verbs_context, create_wq, create_wq);
SAME_FIELD(verbs_context, query_rt_values, query_rt_values);
SAME_FIELD(verbs_context, create_cq_ex, create_cq_ex);
SAME_FIELD(verbs_context, priv, priv);
SAME_FIELD(verbs_context, query_device_ex, query_device_ex);
SAME_FIELD(verbs_context, destroy_flow, ibv_destroy_flow);
SAME_FIELD(verbs_context, placeholder2, ABI_placeholder2);
SAME_FIELD(verbs_context, create_flow, ibv_create_flow);
SAME_FIELD(verbs_context, placeholder1, ABI_placeholder1);
SAME_FIELD(verbs_context, open_qp, open_qp);
SAME_FIELD(verbs_context, create_qp_ex, create_qp_ex);
SAME_FIELD(verbs_context, get_srq_num, get_srq_num);
SAME_FIELD(verbs_context, create_srq_ex, create_srq_ex);
SAME_FIELD(verbs_context, open_xrcd, open_xrcd);
SAME_FIELD(verbs_context, close_xrcd, close_xrcd);
SAME_FIELD(verbs_context, placeholder3, _ABI_placeholder3);
SAME_FIELD(verbs_context, sz, sz);
SAME_FIELD(verbs_context, context, context);

SAME_VALUE(IBV_GID_TYPE_IB);
SAME_VALUE(IBV_GID_TYPE_ROCE_V1);
SAME_VALUE(IBV_GID_TYPE_ROCE_V2);
SAME_VALUE(IBV_NODE_UNKNOWN);
SAME_VALUE(IBV_NODE_CA);
SAME_VALUE(IBV_NODE_SWITCH);
SAME_VALUE(IBV_NODE_ROUTER);
SAME_VALUE(IBV_NODE_RNIC);
SAME_VALUE(IBV_TRANSPORT_UNKNOWN);
SAME_VALUE(IBV_TRANSPORT_IB);
SAME_VALUE(IBV_TRANSPORT_IWARP);
SAME_VALUE(IBV_LINK_LAYER_UNSPECIFIED);
SAME_VALUE(IBV_LINK_LAYER_INFINIBAND);
SAME_VALUE(IBV_LINK_LAYER_ETHERNET);
SAME_VALUE(IBV_PORT_NOP);
SAME_VALUE(IBV_PORT_DOWN);
SAME_VALUE(IBV_PORT_INIT);
SAME_VALUE(IBV_PORT_ARMED);
SAME_VALUE(IBV_PORT_ACTIVE);
SAME_VALUE(IBV_PORT_ACTIVE_DEFER);
SAME_VALUE(IBV_PORT_SM);
SAME_VALUE(IBV_PORT_EXTENDED_SPEEDS_SUP);
SAME_VALUE(IBV_PORT_CAP_MASK2_SUP);
SAME_VALUE(IBV_PORT_CLIENT_REG_SUP);
SAME_VALUE(IBV_EVENT_CQ_ERR);
SAME_VALUE(IBV_EVENT_QP_FATAL);
SAME_VALUE(IBV_EVENT_QP_REQ_ERR);
SAME_VALUE(IBV_EVENT_QP_ACCESS_ERR);
SAME_VALUE(IBV_EVENT_COMM_EST);
SAME_VALUE(IBV_EVENT_SQ_DRAINED);
SAME_VALUE(IBV_EVENT_PATH_MIG);
SAME_VALUE(IBV_EVENT_PATH_MIG_ERR);
SAME_VALUE(IBV_EVENT_DEVICE_FATAL);
SAME_VALUE(IBV_EVENT_PORT_ACTIVE);
SAME_VALUE(IBV_EVENT_PORT_ERR);
SAME_VALUE(IBV_EVENT_LID_CHANGE);
SAME_VALUE(IBV_EVENT_PKEY_CHANGE);
SAME_VALUE(IBV_EVENT_SM_CHANGE);
SAME_VALUE(IBV_EVENT_SRQ_ERR);
SAME_VALUE(IBV_EVENT_SRQ_LIMIT_REACHED);
SAME_VALUE(IBV_EVENT_QP_LAST_WQE_REACHED);
SAME_VALUE(IBV_EVENT_CLIENT_REREGISTER);
SAME_VALUE(IBV_EVENT_GID_CHANGE);
SAME_VALUE(IBV_EVENT_WQ_FATAL);
SAME_VALUE(IBV_SYSFS_NAME_MAX);
SAME_VALUE(IBV_SYSFS_PATH_MAX);

// ---- the rest, with the same macros ----
#include "abi-check-data-path.h"
#include "abi-check-extended.h"
#include "abi-check-umad.h"
