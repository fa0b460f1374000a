// Part of abi-check.cc: verbena/ibverbs-extended-abi.h against infiniband/verbs.h.
#pragma once

SAME_SIZE(ibv_odp_caps);
SAME_FIELD(ibv_odp_caps, general_caps, general_caps);
SAME_FIELD(ibv_odp_caps, per_transport_caps, per_transport_caps);

SAME_SIZE(ibv_tso_caps);
SAME_FIELD(ibv_tso_caps, max_tso, max_tso);
SAME_FIELD(ibv_tso_caps, supported_qpts, supported_qpts);

SAME_SIZE(ibv_rss_caps);
SAME_FIELD(ibv_rss_caps, supported_qpts, supported_qpts);
SAME_FIELD(ibv_rss_caps, max_rwq_indirection_tables, max_rwq_indirection_tables);
SAME_FIELD(ibv_rss_caps, max_rwq_indirection_table_size, max_rwq_indirection_table_size);
SAME_FIELD(ibv_rss_caps, rx_hash_fields_mask, rx_hash_fields_mask);
SAME_FIELD(ibv_rss_caps, rx_hash_function, rx_hash_function);

SAME_SIZE(ibv_packet_pacing_caps);
SAME_FIELD(ibv_packet_pacing_caps, qp_rate_limit_min, qp_rate_limit_min);
SAME_FIELD(ibv_packet_pacing_caps, qp_rate_limit_max, qp_rate_limit_max);
SAME_FIELD(ibv_packet_pacing_caps, supported_qpts, supported_qpts);

SAME_SIZE(ibv_tm_caps);
SAME_FIELD(ibv_tm_caps, max_rndv_hdr_size, max_rndv_hdr_size);
SAME_FIELD(ibv_tm_caps, max_num_tags, max_num_tags);
SAME_FIELD(ibv_tm_caps, flags, flags);
SAME_FIELD(ibv_tm_caps, max_ops, max_ops);
SAME_FIELD(ibv_tm_caps, max_sge, max_sge);

SAME_SIZE(ibv_cq_moderation_caps);
SAME_FIELD(ibv_cq_moderation_caps, max_cq_count, max_cq_count);
SAME_FIELD(ibv_cq_moderation_caps, max_cq_period, max_cq_period);

SAME_SIZE(ibv_pci_atomic_caps);
SAME_FIELD(ibv_pci_atomic_caps, fetch_add, fetch_add);
SAME_FIELD(ibv_pci_atomic_caps, swap, swap);
SAME_FIELD(ibv_pci_atomic_caps, compare_swap, compare_swap);

SAME_SIZE(ibv_device_attr_ex);
SAME_FIELD(ibv_device_attr_ex, orig_attr, orig_attr);
SAME_FIELD(ibv_device_attr_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_device_attr_ex, odp_caps, odp_caps);
SAME_FIELD(ibv_device_attr_ex, completion_timestamp_mask, completion_timestamp_mask);
SAME_FIELD(ibv_device_attr_ex, hca_core_clock, hca_core_clock);
SAME_FIELD(ibv_device_attr_ex, device_cap_flags_ex, device_cap_flags_ex);
SAME_FIELD(ibv_device_attr_ex, tso_caps, tso_caps);
SAME_FIELD(ibv_device_attr_ex, rss_caps, rss_caps);
SAME_FIELD(ibv_device_attr_ex, max_wq_type_rq, max_wq_type_rq);
SAME_FIELD(ibv_device_attr_ex, packet_pacing_caps, packet_pacing_caps);
SAME_FIELD(ibv_device_attr_ex, raw_packet_caps, raw_packet_caps);
SAME_FIELD(ibv_device_attr_ex, tm_caps, tm_caps);
SAME_FIELD(ibv_device_attr_ex, cq_mod_caps, cq_mod_caps);
SAME_FIELD(ibv_device_attr_ex, max_dm_size, max_dm_size);
SAME_FIELD(ibv_device_attr_ex, pci_atomic_caps, pci_atomic_caps);
SAME_FIELD(ibv_device_attr_ex, xrc_odp_caps, xrc_odp_caps);
SAME_FIELD(ibv_device_attr_ex, phys_port_cnt_ex, phys_port_cnt_ex);

SAME_SIZE(ibv_query_device_ex_input);
SAME_FIELD(ibv_query_device_ex_input, comp_mask, comp_mask);

SAME_SIZE(ibv_values_ex);
SAME_FIELD(ibv_values_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_values_ex, raw_clock, raw_clock);

SAME_SIZE(ibv_cq_init_attr_ex);
SAME_FIELD(ibv_cq_init_attr_ex, cqe, cqe);
SAME_FIELD(ibv_cq_init_attr_ex, cq_context, cq_context);
SAME_FIELD(ibv_cq_init_attr_ex, channel, channel);
SAME_FIELD(ibv_cq_init_attr_ex, comp_vector, comp_vector);
SAME_FIELD(ibv_cq_init_attr_ex, wc_flags, wc_flags);
SAME_FIELD(ibv_cq_init_attr_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_cq_init_attr_ex, flags, flags);
SAME_FIELD(ibv_cq_init_attr_ex, parent_domain, parent_domain);

SAME_SIZE(ibv_poll_cq_attr);
SAME_FIELD(ibv_poll_cq_attr, comp_mask, comp_mask);

SAME_SIZE(ibv_cq_ex);
SAME_FIELD(ibv_cq_ex, context, context);
SAME_FIELD(ibv_cq_ex, channel, channel);
SAME_FIELD(ibv_cq_ex, cq_context, cq_context);
SAME_FIELD(ibv_cq_ex, handle, handle);
SAME_FIELD(ibv_cq_ex, cqe, cqe);
SAME_FIELD(ibv_cq_ex, mutex, mutex);
SAME_FIELD(ibv_cq_ex, cond, cond);
SAME_FIELD(ibv_cq_ex, comp_events_completed, comp_events_completed);
SAME_FIELD(ibv_cq_ex, async_events_completed, async_events_completed);
SAME_FIELD(ibv_cq_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_cq_ex, status, status);
SAME_FIELD(ibv_cq_ex, wr_id, wr_id);
SAME_FIELD(ibv_cq_ex, start_poll, start_poll);
SAME_FIELD(ibv_cq_ex, next_poll, next_poll);
SAME_FIELD(ibv_cq_ex, end_poll, end_poll);
SAME_FIELD(ibv_cq_ex, read_opcode, read_opcode);
SAME_FIELD(ibv_cq_ex, read_vendor_err, read_vendor_err);
SAME_FIELD(ibv_cq_ex, read_byte_len, read_byte_len);
SAME_FIELD(ibv_cq_ex, read_be_imm_data, read_imm_data);
SAME_FIELD(ibv_cq_ex, read_qp_num, read_qp_num);
SAME_FIELD(ibv_cq_ex, read_src_qp, read_src_qp);
SAME_FIELD(ibv_cq_ex, read_wc_flags, read_wc_flags);
SAME_FIELD(ibv_cq_ex, read_slid, read_slid);
SAME_FIELD(ibv_cq_ex, read_sl, read_sl);
SAME_FIELD(ibv_cq_ex, read_dlid_path_bits, read_dlid_path_bits);
SAME_FIELD(ibv_cq_ex, read_completion_ts, read_completion_ts);
SAME_FIELD(ibv_cq_ex, read_cvlan, read_cvlan);
SAME_FIELD(ibv_cq_ex, read_flow_tag, read_flow_tag);
SAME_FIELD(ibv_cq_ex, read_tm_info, read_tm_info);
SAME_FIELD(ibv_cq_ex, read_completion_wallclock_ns, read_completion_wallclock_ns);

SAME_SIZE(ibv_rx_hash_conf);
SAME_FIELD(ibv_rx_hash_conf, rx_hash_function, rx_hash_function);
SAME_FIELD(ibv_rx_hash_conf, rx_hash_key_len, rx_hash_key_len);
SAME_FIELD(ibv_rx_hash_conf, rx_hash_key, rx_hash_key);
SAME_FIELD(ibv_rx_hash_conf, rx_hash_fields_mask, rx_hash_fields_mask);

SAME_SIZE(ibv_qp_init_attr_ex);
SAME_FIELD(ibv_qp_init_attr_ex, qp_context, qp_context);
SAME_FIELD(ibv_qp_init_attr_ex, send_cq, send_cq);
SAME_FIELD(ibv_qp_init_attr_ex, recv_cq, recv_cq);
SAME_FIELD(ibv_qp_init_attr_ex, srq, srq);
SAME_FIELD(ibv_qp_init_attr_ex, cap, cap);
SAME_FIELD(ibv_qp_init_attr_ex, qp_type, qp_type);
SAME_FIELD(ibv_qp_init_attr_ex, sq_sig_all, sq_sig_all);
SAME_FIELD(ibv_qp_init_attr_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_qp_init_attr_ex, pd, pd);
SAME_FIELD(ibv_qp_init_attr_ex, xrcd, xrcd);
SAME_FIELD(ibv_qp_init_attr_ex, create_flags, create_flags);
SAME_FIELD(ibv_qp_init_attr_ex, max_tso_header, max_tso_header);
SAME_FIELD(ibv_qp_init_attr_ex, rwq_ind_tbl, rwq_ind_tbl);
SAME_FIELD(ibv_qp_init_attr_ex, rx_hash_conf, rx_hash_conf);
SAME_FIELD(ibv_qp_init_attr_ex, source_qpn, source_qpn);
SAME_FIELD(ibv_qp_init_attr_ex, send_ops_flags, send_ops_flags);

SAME_SIZE(ibv_data_buf);
SAME_FIELD(ibv_data_buf, addr, addr);
SAME_FIELD(ibv_data_buf, length, length);

SAME_SIZE(ibv_qp_ex);
SAME_FIELD(ibv_qp_ex, qp_base, qp_base);
SAME_FIELD(ibv_qp_ex, comp_mask, comp_mask);
SAME_FIELD(ibv_qp_ex, wr_id, wr_id);
SAME_FIELD(ibv_qp_ex, wr_flags, wr_flags);
SAME_FIELD(ibv_qp_ex, wr_atomic_cmp_swp, wr_atomic_cmp_swp);
SAME_FIELD(ibv_qp_ex, wr_atomic_fetch_add, wr_atomic_fetch_add);
SAME_FIELD(ibv_qp_ex, wr_bind_mw, wr_bind_mw);
SAME_FIELD(ibv_qp_ex, wr_local_inv, wr_local_inv);
SAME_FIELD(ibv_qp_ex, wr_rdma_read, wr_rdma_read);
SAME_FIELD(ibv_qp_ex, wr_rdma_write, wr_rdma_write);
SAME_FIELD(ibv_qp_ex, wr_rdma_write_imm, wr_rdma_write_imm);
SAME_FIELD(ibv_qp_ex, wr_send, wr_send);
SAME_FIELD(ibv_qp_ex, wr_send_imm, wr_send_imm);
SAME_FIELD(ibv_qp_ex, wr_send_inv, wr_send_inv);
SAME_FIELD(ibv_qp_ex, wr_send_tso, wr_send_tso);
SAME_FIELD(ibv_qp_ex, wr_set_ud_addr, wr_set_ud_addr);
SAME_FIELD(ibv_qp_ex, wr_set_xrc_srqn, wr_set_xrc_srqn);
SAME_FIELD(ibv_qp_ex, wr_set_inline_data, wr_set_inline_data);
SAME_FIELD(ibv_qp_ex, wr_set_inline_data_list, wr_set_inline_data_list);
SAME_FIELD(ibv_qp_ex, wr_set_sge, wr_set_sge);
SAME_FIELD(ibv_qp_ex, wr_set_sge_list, wr_set_sge_list);
SAME_FIELD(ibv_qp_ex, wr_start, wr_start);
SAME_FIELD(ibv_qp_ex, wr_complete, wr_complete);
SAME_FIELD(ibv_qp_ex, wr_abort, wr_abort);
SAME_FIELD(ibv_qp_ex, wr_atomic_write, wr_atomic_write);

SAME_SIZE(ibv_alloc_dm_attr);
SAME_FIELD(ibv_alloc_dm_attr, length, length);
SAME_FIELD(ibv_alloc_dm_attr, log_align_req, log_align_req);
SAME_FIELD(ibv_alloc_dm_attr, comp_mask, comp_mask);

SAME_SIZE(ibv_dm);
SAME_FIELD(ibv_dm, context, context);
SAME_FIELD(ibv_dm, memcpy_to_dm, memcpy_to_dm);
SAME_FIELD(ibv_dm, memcpy_from_dm, memcpy_from_dm);
SAME_FIELD(ibv_dm, comp_mask, comp_mask);
SAME_FIELD(ibv_dm, handle, handle);

SAME_VALUE(IBV_VALUES_MASK_RAW_CLOCK);
SAME_VALUE(IBV_WC_EX_WITH_BYTE_LEN);
SAME_VALUE(IBV_WC_EX_WITH_IMM);
SAME_VALUE(IBV_WC_EX_WITH_QP_NUM);
SAME_VALUE(IBV_WC_EX_WITH_SRC_QP);
SAME_VALUE(IBV_WC_EX_WITH_SLID);
SAME_VALUE(IBV_WC_EX_WITH_SL);
SAME_VALUE(IBV_WC_EX_WITH_DLID_PATH_BITS);
SAME_VALUE(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
SAME_VALUE(IBV_CQ_INIT_ATTR_MASK_FLAGS);
SAME_VALUE(IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
SAME_VALUE(IBV_QP_INIT_ATTR_PD);
SAME_VALUE(IBV_QP_INIT_ATTR_XRCD);
SAME_VALUE(IBV_QP_INIT_ATTR_CREATE_FLAGS);
SAME_VALUE(IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
SAME_VALUE(IBV_QP_INIT_ATTR_IND_TABLE);
SAME_VALUE(IBV_QP_INIT_ATTR_RX_HASH);
SAME_VALUE(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
SAME_VALUE(IBV_QP_EX_WITH_RDMA_WRITE);
SAME_VALUE(IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM);
SAME_VALUE(IBV_QP_EX_WITH_SEND);
SAME_VALUE(IBV_QP_EX_WITH_SEND_WITH_IMM);
SAME_VALUE(IBV_QP_EX_WITH_RDMA_READ);
SAME_VALUE(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP);
SAME_VALUE(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD);
SAME_VALUE(IBV_QP_EX_WITH_LOCAL_INV);
SAME_VALUE(IBV_DEVICE_CURR_QP_STATE_MOD);
SAME_VALUE(IBV_DEVICE_PORT_ACTIVE_EVENT);
SAME_VALUE(IBV_DEVICE_SYS_IMAGE_GUID);
SAME_VALUE(IBV_DEVICE_RC_RNR_NAK_GEN);
SAME_VALUE(IBV_DEVICE_SRQ_RESIZE);
SAME_VALUE(IBV_ACCESS_ZERO_BASED);
SAME_VALUE(IBV_ACCESS_HUGETLB);
