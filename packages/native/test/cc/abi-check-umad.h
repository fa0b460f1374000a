// Part of abi-check.cc: verbena/ibumad-abi.h against infiniband/umad.h.
#pragma once

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
