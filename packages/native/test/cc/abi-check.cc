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

SAME_SIZE(ibv_port_attr);
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

SAME_SIZE(ibv_pd);
SAME_FIELD(ibv_pd, context, context);
SAME_FIELD(ibv_pd, handle, handle);

SAME_SIZE(ibv_mr);
SAME_FIELD(ibv_mr, context, context);
SAME_FIELD(ibv_mr, pd, pd);
SAME_FIELD(ibv_mr, addr, addr);
SAME_FIELD(ibv_mr, length, length);
SAME_FIELD(ibv_mr, handle, handle);
SAME_FIELD(ibv_mr, lkey, lkey);
SAME_FIELD(ibv_mr, rkey, rkey);

SAME_SIZE(ibv_ah);
SAME_FIELD(ibv_ah, context, context);
SAME_FIELD(ibv_ah, pd, pd);
SAME_FIELD(ibv_ah, handle, handle);

SAME_SIZE(ibv_comp_channel);
SAME_FIELD(ibv_comp_channel, context, context);
SAME_FIELD(ibv_comp_channel, fd, fd);
SAME_FIELD(ibv_comp_channel, refcnt, refcnt);

SAME_SIZE(ibv_cq);
SAME_FIELD(ibv_cq, context, context);
SAME_FIELD(ibv_cq, channel, channel);
SAME_FIELD(ibv_cq, cq_context, cq_context);
SAME_FIELD(ibv_cq, handle, handle);
SAME_FIELD(ibv_cq, cqe, cqe);
SAME_FIELD(ibv_cq, mutex, mutex);
SAME_FIELD(ibv_cq, cond, cond);
SAME_FIELD(ibv_cq, comp_events_completed, comp_events_completed);
SAME_FIELD(ibv_cq, async_events_completed, async_events_completed);

SAME_SIZE(ibv_srq);
SAME_FIELD(ibv_srq, context, context);
SAME_FIELD(ibv_srq, srq_context, srq_context);
SAME_FIELD(ibv_srq, pd, pd);
SAME_FIELD(ibv_srq, handle, handle);
SAME_FIELD(ibv_srq, mutex, mutex);
SAME_FIELD(ibv_srq, cond, cond);
SAME_FIELD(ibv_srq, events_completed, events_completed);

SAME_SIZE(ibv_qp);
SAME_FIELD(ibv_qp, context, context);
SAME_FIELD(ibv_qp, qp_context, qp_context);
SAME_FIELD(ibv_qp, pd, pd);
SAME_FIELD(ibv_qp, send_cq, send_cq);
SAME_FIELD(ibv_qp, recv_cq, recv_cq);
SAME_FIELD(ibv_qp, srq, srq);
SAME_FIELD(ibv_qp, handle, handle);
SAME_FIELD(ibv_qp, qp_num, qp_num);
SAME_FIELD(ibv_qp, state, state);
SAME_FIELD(ibv_qp, qp_type, qp_type);
SAME_FIELD(ibv_qp, mutex, mutex);
SAME_FIELD(ibv_qp, cond, cond);
SAME_FIELD(ibv_qp, events_completed, events_completed);

SAME_SIZE(ibv_qp_cap);
SAME_FIELD(ibv_qp_cap, max_send_wr, max_send_wr);
SAME_FIELD(ibv_qp_cap, max_recv_wr, max_recv_wr);
SAME_FIELD(ibv_qp_cap, max_send_sge, max_send_sge);
SAME_FIELD(ibv_qp_cap, max_recv_sge, max_recv_sge);
SAME_FIELD(ibv_qp_cap, max_inline_data, max_inline_data);

SAME_SIZE(ibv_qp_init_attr);
SAME_FIELD(ibv_qp_init_attr, qp_context, qp_context);
SAME_FIELD(ibv_qp_init_attr, send_cq, send_cq);
SAME_FIELD(ibv_qp_init_attr, recv_cq, recv_cq);
SAME_FIELD(ibv_qp_init_attr, srq, srq);
SAME_FIELD(ibv_qp_init_attr, cap, cap);
SAME_FIELD(ibv_qp_init_attr, qp_type, qp_type);
SAME_FIELD(ibv_qp_init_attr, sq_sig_all, sq_sig_all);

SAME_SIZE(ibv_global_route);
SAME_FIELD(ibv_global_route, dgid, dgid);
SAME_FIELD(ibv_global_route, flow_label, flow_label);
SAME_FIELD(ibv_global_route, sgid_index, sgid_index);
SAME_FIELD(ibv_global_route, hop_limit, hop_limit);
SAME_FIELD(ibv_global_route, traffic_class, traffic_class);

SAME_SIZE(ibv_grh);
SAME_FIELD(ibv_grh, be_version_tclass_flow, version_tclass_flow);
SAME_FIELD(ibv_grh, be_paylen, paylen);
SAME_FIELD(ibv_grh, next_hdr, next_hdr);
SAME_FIELD(ibv_grh, hop_limit, hop_limit);
SAME_FIELD(ibv_grh, sgid, sgid);
SAME_FIELD(ibv_grh, dgid, dgid);

SAME_SIZE(ibv_ah_attr);
SAME_FIELD(ibv_ah_attr, grh, grh);
SAME_FIELD(ibv_ah_attr, dlid, dlid);
SAME_FIELD(ibv_ah_attr, sl, sl);
SAME_FIELD(ibv_ah_attr, src_path_bits, src_path_bits);
SAME_FIELD(ibv_ah_attr, static_rate, static_rate);
SAME_FIELD(ibv_ah_attr, is_global, is_global);
SAME_FIELD(ibv_ah_attr, port_num, port_num);

SAME_SIZE(ibv_qp_attr);
SAME_FIELD(ibv_qp_attr, qp_state, qp_state);
SAME_FIELD(ibv_qp_attr, cur_qp_state, cur_qp_state);
SAME_FIELD(ibv_qp_attr, path_mtu, path_mtu);
SAME_FIELD(ibv_qp_attr, path_mig_state, path_mig_state);
SAME_FIELD(ibv_qp_attr, qkey, qkey);
SAME_FIELD(ibv_qp_attr, rq_psn, rq_psn);
SAME_FIELD(ibv_qp_attr, sq_psn, sq_psn);
SAME_FIELD(ibv_qp_attr, dest_qp_num, dest_qp_num);
SAME_FIELD(ibv_qp_attr, qp_access_flags, qp_access_flags);
SAME_FIELD(ibv_qp_attr, cap, cap);
SAME_FIELD(ibv_qp_attr, ah_attr, ah_attr);
SAME_FIELD(ibv_qp_attr, alt_ah_attr, alt_ah_attr);
SAME_FIELD(ibv_qp_attr, pkey_index, pkey_index);
SAME_FIELD(ibv_qp_attr, alt_pkey_index, alt_pkey_index);
SAME_FIELD(ibv_qp_attr, en_sqd_async_notify, en_sqd_async_notify);
SAME_FIELD(ibv_qp_attr, sq_draining, sq_draining);
SAME_FIELD(ibv_qp_attr, max_rd_atomic, max_rd_atomic);
SAME_FIELD(ibv_qp_attr, max_dest_rd_atomic, max_dest_rd_atomic);
SAME_FIELD(ibv_qp_attr, min_rnr_timer, min_rnr_timer);
SAME_FIELD(ibv_qp_attr, port_num, port_num);
SAME_FIELD(ibv_qp_attr, timeout, timeout);
SAME_FIELD(ibv_qp_attr, retry_cnt, retry_cnt);
SAME_FIELD(ibv_qp_attr, rnr_retry, rnr_retry);
SAME_FIELD(ibv_qp_attr, alt_port_num, alt_port_num);
SAME_FIELD(ibv_qp_attr, alt_timeout, alt_timeout);
SAME_FIELD(ibv_qp_attr, rate_limit, rate_limit);

SAME_SIZE(ibv_wc);
SAME_FIELD(ibv_wc, wr_id, wr_id);
SAME_FIELD(ibv_wc, status, status);
SAME_FIELD(ibv_wc, opcode, opcode);
SAME_FIELD(ibv_wc, vendor_err, vendor_err);
SAME_FIELD(ibv_wc, byte_len, byte_len);
SAME_FIELD(ibv_wc, be_imm_data, imm_data);
SAME_FIELD(ibv_wc, qp_num, qp_num);
SAME_FIELD(ibv_wc, src_qp, src_qp);
SAME_FIELD(ibv_wc, wc_flags, wc_flags);
SAME_FIELD(ibv_wc, pkey_index, pkey_index);
SAME_FIELD(ibv_wc, slid, slid);
SAME_FIELD(ibv_wc, sl, sl);
SAME_FIELD(ibv_wc, dlid_path_bits, dlid_path_bits);

SAME_SIZE(ibv_sge);
SAME_FIELD(ibv_sge, addr, addr);
SAME_FIELD(ibv_sge, length, length);
SAME_FIELD(ibv_sge, lkey, lkey);

SAME_SIZE(ibv_send_wr);
SAME_FIELD(ibv_send_wr, wr_id, wr_id);
SAME_FIELD(ibv_send_wr, next, next);
SAME_FIELD(ibv_send_wr, sg_list, sg_list);
SAME_FIELD(ibv_send_wr, num_sge, num_sge);
SAME_FIELD(ibv_send_wr, opcode, opcode);
SAME_FIELD(ibv_send_wr, send_flags, send_flags);
SAME_FIELD(ibv_send_wr, be_imm_data, imm_data);
SAME_FIELD(ibv_send_wr, wr, wr);

SAME_SIZE(ibv_recv_wr);
SAME_FIELD(ibv_recv_wr, wr_id, wr_id);
SAME_FIELD(ibv_recv_wr, next, next);
SAME_FIELD(ibv_recv_wr, sg_list, sg_list);
SAME_FIELD(ibv_recv_wr, num_sge, num_sge);

// The parts of ibv_send_wr that hide in unions.
SAME_FIELD(ibv_send_wr, wr.rdma.remote_addr, wr.rdma.remote_addr);
SAME_FIELD(ibv_send_wr, wr.rdma.rkey, wr.rdma.rkey);
SAME_FIELD(ibv_send_wr, wr.atomic.compare_add, wr.atomic.compare_add);
SAME_FIELD(ibv_send_wr, wr.atomic.swap, wr.atomic.swap);
SAME_FIELD(ibv_send_wr, wr.atomic.rkey, wr.atomic.rkey);
SAME_FIELD(ibv_send_wr, wr.ud.ah, wr.ud.ah);
SAME_FIELD(ibv_send_wr, wr.ud.remote_qpn, wr.ud.remote_qpn);
SAME_FIELD(ibv_send_wr, wr.ud.remote_qkey, wr.ud.remote_qkey);

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
SAME_VALUE(IBV_QPT_RC);
SAME_VALUE(IBV_QPT_UC);
SAME_VALUE(IBV_QPT_UD);
SAME_VALUE(IBV_QPS_RESET);
SAME_VALUE(IBV_QPS_INIT);
SAME_VALUE(IBV_QPS_RTR);
SAME_VALUE(IBV_QPS_RTS);
SAME_VALUE(IBV_QPS_SQD);
SAME_VALUE(IBV_QPS_SQE);
SAME_VALUE(IBV_QPS_ERR);
SAME_VALUE(IBV_QP_STATE);
SAME_VALUE(IBV_QP_ACCESS_FLAGS);
SAME_VALUE(IBV_QP_PKEY_INDEX);
SAME_VALUE(IBV_QP_PORT);
SAME_VALUE(IBV_QP_QKEY);
SAME_VALUE(IBV_QP_AV);
SAME_VALUE(IBV_QP_PATH_MTU);
SAME_VALUE(IBV_QP_TIMEOUT);
SAME_VALUE(IBV_QP_RETRY_CNT);
SAME_VALUE(IBV_QP_RNR_RETRY);
SAME_VALUE(IBV_QP_RQ_PSN);
SAME_VALUE(IBV_QP_MAX_QP_RD_ATOMIC);
SAME_VALUE(IBV_QP_MIN_RNR_TIMER);
SAME_VALUE(IBV_QP_SQ_PSN);
SAME_VALUE(IBV_QP_MAX_DEST_RD_ATOMIC);
SAME_VALUE(IBV_QP_DEST_QPN);
SAME_VALUE(IBV_ACCESS_LOCAL_WRITE);
SAME_VALUE(IBV_ACCESS_REMOTE_WRITE);
SAME_VALUE(IBV_ACCESS_REMOTE_READ);
SAME_VALUE(IBV_ACCESS_REMOTE_ATOMIC);
SAME_VALUE(IBV_WC_GRH);
SAME_VALUE(IBV_WC_WITH_IMM);
SAME_VALUE(IBV_WC_SEND);
SAME_VALUE(IBV_WC_RDMA_WRITE);
SAME_VALUE(IBV_WC_RDMA_READ);
SAME_VALUE(IBV_WC_RECV);
SAME_VALUE(IBV_WC_RECV_RDMA_WITH_IMM);
SAME_VALUE(IBV_WR_RDMA_WRITE);
SAME_VALUE(IBV_WR_RDMA_WRITE_WITH_IMM);
SAME_VALUE(IBV_WR_SEND);
SAME_VALUE(IBV_WR_SEND_WITH_IMM);
SAME_VALUE(IBV_WR_RDMA_READ);
SAME_VALUE(IBV_SEND_FENCE);
SAME_VALUE(IBV_SEND_SIGNALED);
SAME_VALUE(IBV_SEND_SOLICITED);
SAME_VALUE(IBV_SEND_INLINE);

// ---- libibumad ----
SAME_SIZE(ib_mad_addr);
SAME_FIELD(ib_mad_addr, be_qpn, qpn);
SAME_FIELD(ib_mad_addr, be_qkey, qkey);
SAME_FIELD(ib_mad_addr, be_lid, lid);
SAME_FIELD(ib_mad_addr, sl, sl);
SAME_FIELD(ib_mad_addr, path_bits, path_bits);
SAME_FIELD(ib_mad_addr, grh_present, grh_present);
SAME_FIELD(ib_mad_addr, gid_index, gid_index);
SAME_FIELD(ib_mad_addr, hop_limit, hop_limit);
SAME_FIELD(ib_mad_addr, traffic_class, traffic_class);
SAME_FIELD(ib_mad_addr, gid, gid);
SAME_FIELD(ib_mad_addr, be_flow_label, flow_label);
SAME_FIELD(ib_mad_addr, pkey_index, pkey_index);
SAME_FIELD(ib_mad_addr, reserved, reserved);

SAME_SIZE(ib_user_mad);
SAME_FIELD(ib_user_mad, agent_id, agent_id);
SAME_FIELD(ib_user_mad, status, status);
SAME_FIELD(ib_user_mad, timeout_ms, timeout_ms);
SAME_FIELD(ib_user_mad, retries, retries);
SAME_FIELD(ib_user_mad, length, length);
SAME_FIELD(ib_user_mad, addr, addr);

SAME_SIZE(umad_port);
SAME_FIELD(umad_port, ca_name, ca_name);
SAME_FIELD(umad_port, portnum, portnum);
SAME_FIELD(umad_port, base_lid, base_lid);
SAME_FIELD(umad_port, lmc, lmc);
SAME_FIELD(umad_port, sm_lid, sm_lid);
SAME_FIELD(umad_port, sm_sl, sm_sl);
SAME_FIELD(umad_port, state, state);
SAME_FIELD(umad_port, phys_state, phys_state);
SAME_FIELD(umad_port, rate, rate);
SAME_FIELD(umad_port, be_capmask, capmask);
SAME_FIELD(umad_port, be_gid_prefix, gid_prefix);
SAME_FIELD(umad_port, be_port_guid, port_guid);
SAME_FIELD(umad_port, pkeys_size, pkeys_size);
SAME_FIELD(umad_port, pkeys, pkeys);
SAME_FIELD(umad_port, link_layer, link_layer);

SAME_SIZE(umad_ca);
SAME_FIELD(umad_ca, ca_name, ca_name);
SAME_FIELD(umad_ca, node_type, node_type);
SAME_FIELD(umad_ca, numports, numports);
SAME_FIELD(umad_ca, fw_ver, fw_ver);
SAME_FIELD(umad_ca, ca_type, ca_type);
SAME_FIELD(umad_ca, hw_ver, hw_ver);
SAME_FIELD(umad_ca, be_node_guid, node_guid);
SAME_FIELD(umad_ca, be_system_guid, system_guid);
SAME_FIELD(umad_ca, ports, ports);

SAME_SIZE(umad_device_node);
SAME_FIELD(umad_device_node, next, next);
SAME_FIELD(umad_device_node, ca_name, ca_name);

SAME_SIZE(umad_reg_attr);
SAME_FIELD(umad_reg_attr, mgmt_class, mgmt_class);
SAME_FIELD(umad_reg_attr, mgmt_class_version, mgmt_class_version);
SAME_FIELD(umad_reg_attr, flags, flags);
SAME_FIELD(umad_reg_attr, method_mask, method_mask);
SAME_FIELD(umad_reg_attr, oui, oui);
SAME_FIELD(umad_reg_attr, rmpp_version, rmpp_version);

static_assert(VB_UMAD_HEADER_SIZE == sizeof(struct ib_user_mad), "the MAD follows its header without a gap");
SAME_VALUE(UMAD_CA_NAME_LEN);
SAME_VALUE(UMAD_CA_MAX_PORTS);
SAME_VALUE(UMAD_CA_MAX_AGENTS);
SAME_VALUE(UMAD_MAX_DEVICES);
SAME_VALUE(UMAD_MAX_PORTS);
SAME_VALUE(UMAD_USER_RMPP);
