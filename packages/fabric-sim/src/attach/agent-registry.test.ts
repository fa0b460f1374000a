import { AgentRegistry } from "./agent-registry.js";
import type { MadPacketHead } from "./mad-packet.js";
import { Errno } from "./protocol.js";

const GET = 0x01;
const GET_TABLE = 0x12;
const sa = { qpn: 1, managementClass: 3, classVersion: 2, rmppVersion: 1, oui: 0x001405, methods: 1n << BigInt(GET) };
const head = (fields: Partial<MadPacketHead>): MadPacketHead => ({
  qpn: 1,
  managementClass: 3,
  classVersion: 2,
  method: GET,
  tidHigh: 0,
  attributeModifier: 0,
  oui: 0,
  ...fields,
});

describe("AgentRegistry", () => {
  let agents: AgentRegistry<string>;
  const register = (request: Partial<typeof sa>, owner = "a", port = 1) =>
    agents.register(0, port, { ...sa, ...request }, owner);
  const owner = (fields: Partial<MadPacketHead>, port = 1) => agents.find(0, port, head(fields))?.owner;

  beforeEach(() => {
    agents = new AgentRegistry();
  });

  it("gives requests to the agent of their method, class and version on that port", () => {
    register({}, "get");
    register({ methods: 1n << BigInt(GET_TABLE) }, "table");
    register({}, "other port", 2);
    expect(owner({})).toBe("get");
    expect(owner({ method: GET_TABLE })).toBe("table");
    expect(owner({}, 2)).toBe("other port");
    expect(owner({ classVersion: 1 })).toBeUndefined();
    expect(owner({ managementClass: 4 })).toBeUndefined();
  });

  it("gives responses to the agent that the transaction id names, on its port only", () => {
    const agent = register({ methods: 0n }, "asker");
    if (typeof agent === "number") throw new Error(`errno ${agent}`);
    expect(owner({ method: 0x81, tidHigh: agent.agentId })).toBe("asker");
    expect(owner({ method: 0x07, tidHigh: agent.agentId })).toBe("asker");
    expect(owner({ method: 0x81, tidHigh: agent.agentId }, 2)).toBeUndefined();
    expect(owner({ method: 0x81, tidHigh: agent.agentId + 1 })).toBeUndefined();
    expect(owner({ method: GET, tidHigh: agent.agentId })).toBeUndefined();
  });

  it("tells vendors apart by OUI", () => {
    register({ managementClass: 0x32, oui: 1 }, "one");
    register({ managementClass: 0x32, oui: 2 }, "two");
    expect(owner({ managementClass: 0x32, oui: 2 })).toBe("two");
    expect(owner({ managementClass: 0x32, oui: 3 })).toBeUndefined();
  });

  it("keeps the two subnet management classes apart", () => {
    register({ qpn: 0, managementClass: 0x01, classVersion: 1, rmppVersion: 0 }, "lid routed");
    register({ qpn: 0, managementClass: 0x81, classVersion: 1, rmppVersion: 0 }, "directed");
    expect(owner({ qpn: 0, managementClass: 0x81, classVersion: 1 })).toBe("directed");
  });

  it.each([
    ["a method that is taken", {}],
    ["queue pair 2", { qpn: 2, methods: 0n }],
    ["subnet management on queue pair 1", { managementClass: 1, rmppVersion: 0 }],
    ["general management on queue pair 0", { qpn: 0, managementClass: 4, rmppVersion: 0 }],
    ["RMPP for a class without", { managementClass: 4 }],
    ["RMPP version 2", { rmppVersion: 2, methods: 0n }],
    ["a vendor class without OUI", { managementClass: 0x30, oui: 0 }],
    ["class 80", { managementClass: 80, rmppVersion: 0 }],
    ["class 0x80", { managementClass: 0x80, rmppVersion: 0 }],
    ["class version 0x83", { classVersion: 0x83 }],
  ])("refuses %s", (_what, request) => {
    register({});
    expect(register(request)).toBe(Errno.EINVAL);
  });

  it("frees methods when an agent goes, and never repeats a living id", () => {
    const first = register({});
    if (typeof first === "number") throw new Error(`errno ${first}`);
    agents.unregister(first.agentId);
    agents.unregister(first.agentId);
    const second = register({}, "b");
    expect(second).toMatchObject({ owner: "b", agentId: first.agentId + 1 });
    expect(owner({ method: 0x81, tidHigh: first.agentId })).toBeUndefined();
    expect(agents.size).toBe(1);
  });
});
