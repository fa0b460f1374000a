import { Guid, type Lid, type NodeRecord } from "@verbena/ib";
import { NodeNames } from "./node-names.js";

function record(nodeDescription: string, lid: number, port = 1, nodeType = 1): NodeRecord {
  return {
    lid: lid as Lid,
    nodeDescription,
    nodeInfo: {
      baseVersion: 1,
      classVersion: 1,
      nodeType,
      numPorts: 2,
      systemImageGuid: Guid.from(0x10n),
      nodeGuid: Guid.from(0x20n),
      portGuid: Guid.from(BigInt(0x100 + lid)),
      partitionCap: 32,
      deviceId: 0,
      revision: 0,
      localPortNum: port,
      vendorId: 0,
    },
  };
}

const lidOf = (names: NodeNames, name: string): number | undefined => names.find(name)?.lid;

describe("NodeNames", () => {
  const names = new NodeNames([
    record("node1 HCA-1", 1),
    record("Node2 mlx5_10", 12),
    record("Node2 mlx5_2", 10),
    record("node3 HCA-1", 21, 2),
    record("node3 HCA-1", 20, 1),
    record("rack-7 HCA-1", 30),
    record("node4.example.org HCA-1", 40),
    record("node1", 99, 0, 2),
    record("down HCA-1", 0),
  ]);

  it.each([
    ["the host", "node1", 1],
    ["the host in another case", "NODE1", 1],
    ["the whole description", "node2 mlx5_10", 12],
    ["the first adapter in natural order", "node2", 10],
    ["the first port", "node3", 20],
    ["the second port of an adapter", "node3-2", 21],
    ["the second adapter", "node2-2", 12],
    ["a host whose own name ends in a number", "rack-7", 30],
    ["its first port, numbered", "rack-7-1", 30],
    ["a host with the domain that its description lacks", "node1.example.org", 1],
    ["a host whose description has the domain", "node4.example.org", 40],
  ])("finds %s", (_what, name, lid) => {
    expect(lidOf(names, name)).toBe(lid);
  });

  it.each(["nobody", "node1-2", "node3-0", "down", "", "-1"])("does not know %j", (name) => {
    expect(lidOf(names, name)).toBeUndefined();
  });

  it("counts the ports of channel adapters that have a LID", () => {
    expect(names.size).toBe(7);
  });
});
