import { linkLayerName, nodeTypeName, toDeviceEvent, transportName } from "./names.js";

test("known numbers have names, others are kept", () => {
  expect([1, 2, 3, 4, 9].map(nodeTypeName)).toEqual(["ca", "switch", "router", "rnic", "unknown(9)"]);
  expect([-1, 0, 1].map(transportName)).toEqual(["unknown(-1)", "ib", "iwarp"]);
  expect([0, 1, 2, 3].map(linkLayerName)).toEqual(["unspecified", "infiniband", "ethernet", "unknown(3)"]);
});

// Numbers of enum ibv_event_type.
test.each([
  [8, { type: "device-fatal" }],
  [9, { type: "port-active", port: 2 }],
  [10, { type: "port-err", port: 2 }],
  [11, { type: "lid-change", port: 2 }],
  [12, { type: "pkey-change", port: 2 }],
  [13, { type: "sm-change", port: 2 }],
  [17, { type: "client-reregister", port: 2 }],
  [18, { type: "gid-change", port: 2 }],
  [0, { type: "cq-err", cq: 2 }],
  [1, { type: "qp-fatal", qpn: 2 }],
  [2, { type: "qp-req-err", qpn: 2 }],
  [3, { type: "qp-access-err", qpn: 2 }],
  [4, { type: "comm-est", qpn: 2 }],
  [5, { type: "sq-drained", qpn: 2 }],
  [6, { type: "path-mig", qpn: 2 }],
  [7, { type: "path-mig-err", qpn: 2 }],
  [14, { type: "srq-err", srq: 2 }],
  [15, { type: "srq-limit-reached", srq: 2 }],
  [16, { type: "qp-last-wqe-reached", qpn: 2 }],
  [19, { type: "unknown", event: 19 }],
  [77, { type: "unknown", event: 77 }],
])("event %i", (event, expected) => {
  expect(toDeviceEvent(event, 2)).toEqual(expected);
});
