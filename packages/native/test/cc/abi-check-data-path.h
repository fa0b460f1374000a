// Part of abi-check.cc: verbena/ibverbs-data-path-abi.h against infiniband/verbs.h.
#pragma once

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
