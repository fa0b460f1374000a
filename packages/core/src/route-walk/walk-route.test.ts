import {
  decodeLinkRecord,
  encodeLftRecord,
  encodeLinkRecord,
  encodeNodeRecord,
  Guid,
  Lid,
  NodeType,
  SaAttribute,
} from "@verbena/ib";
import { coreError } from "../errors.js";
import type { SaQuery, SaResponse, SaService } from "../sdk/services.js";
import { walkRoute } from "./walk-route.js";

const NO_RECORDS: SaResponse = { status: 0x0300, records: [] };
const found = (record: Buffer): SaResponse => ({ status: 0, records: [record] });

/**
 * h1 (LID 1) and h2 (LIDs 64 to 67, LMC 2) at two switches: h1[1] - [1]s1[2] - [7]s2[3] - [1]h2. Their LIDs are 10 and 11.
 */
class Map2 implements SaService {
  readonly queries: SaQuery[] = [];
  readonly nodes = new Map([
    [1, { type: NodeType.CHANNEL_ADAPTER, baseLid: 1, text: "h1" }],
    [10, { type: NodeType.SWITCH, baseLid: 10, text: "s1" }],
    [11, { type: NodeType.SWITCH, baseLid: 11, text: "s2" }],
    ...[64, 65, 66, 67].map((lid) => [lid, { type: NodeType.CHANNEL_ADAPTER, baseLid: 64, text: "h2" }] as const),
  ]);
  readonly links = new Map([
    ["1[1]", { lid: 10, port: 1 }],
    ["10[2]", { lid: 11, port: 7 }],
    ["11[3]", { lid: 64, port: 1 }],
    ["10[1]", { lid: 1, port: 1 }],
    ["11[7]", { lid: 10, port: 2 }],
    ["64[1]", { lid: 11, port: 3 }],
  ]);
  readonly tables = new Map([
    [
      10,
      new Map([
        [1, 1],
        [10, 0],
        [11, 2],
        [66, 2],
      ]),
    ],
    [
      11,
      new Map([
        [1, 7],
        [10, 7],
        [11, 0],
        [66, 3],
      ]),
    ],
  ]);
  status = 0;

  query(query: SaQuery): Promise<SaResponse> {
    this.queries.push(query);
    const { attributeId, record } = query;
    const asked = Buffer.from(record);
    return Promise.resolve(this.status === 0 ? this.#answer(attributeId, asked) : { status: this.status, records: [] });
  }

  #answer(attributeId: number, asked: Buffer): SaResponse {
    const lid = asked.readUInt16BE(0);
    if (attributeId === SaAttribute.NODE_RECORD) {
      const node = this.nodes.get(lid);
      if (node === undefined) return NO_RECORDS;
      const guid = Guid.from(BigInt(node.baseLid));
      return found(
        encodeNodeRecord({
          lid: Lid.from(node.baseLid),
          nodeDescription: node.text,
          nodeInfo: {
            baseVersion: 1,
            classVersion: 1,
            nodeType: node.type,
            numPorts: 8,
            systemImageGuid: guid,
            nodeGuid: guid,
            portGuid: guid,
            partitionCap: 32,
            deviceId: 0,
            revision: 0,
            localPortNum: 1,
            vendorId: 0,
          },
        }),
      );
    }
    if (attributeId === SaAttribute.LINK_RECORD) {
      const { fromLid, fromPort } = decodeLinkRecord(asked);
      const far = this.links.get(`${fromLid}[${fromPort}]`);
      if (far === undefined) return NO_RECORDS;
      return found(encodeLinkRecord({ fromLid, fromPort, toPort: far.port, toLid: Lid.from(far.lid) }));
    }
    const table = this.tables.get(lid);
    // OpenSM refuses what is no switch; whoever asks has looked first.
    if (table === undefined) return { status: 0x0200, records: [] };
    const blockNum = asked.readUInt16BE(2);
    const ports = Array.from({ length: 64 }, (_, index) => table.get(blockNum * 64 + index) ?? 255);
    return found(encodeLftRecord({ lid: Lid.from(lid), blockNum, ports }));
  }
}

const walk = async (map: Map2, slid: number, dlid: number, port = 1) => {
  const { hops, problem } = await walkRoute(map, { slid: Lid.from(slid), dlid: Lid.from(dlid), port });
  return {
    hops: hops.map(({ from, to }) => `${from.description}[${from.port}] ${to.description}[${to.port}]`),
    problem,
  };
};

describe("walkRoute", () => {
  it("follows tables and links from port to port", async () => {
    expect(await walk(new Map2(), 1, 66)).toEqual({
      hops: ["h1[1] s1[1]", "s1[2] s2[7]", "s2[3] h2[1]"],
      problem: undefined,
    });
  });

  it("goes to a switch, from a switch, and nowhere when both ends are one port", async () => {
    expect(await walk(new Map2(), 1, 11)).toEqual({ hops: ["h1[1] s1[1]", "s1[2] s2[7]"], problem: undefined });
    expect(await walk(new Map2(), 11, 1, 0)).toEqual({ hops: ["s2[7] s1[2]", "s1[1] h1[1]"], problem: undefined });
    expect(await walk(new Map2(), 66, 65)).toEqual({ hops: [], problem: undefined });
  });

  it("asks three records for each switch, and two at either end", async () => {
    const map = new Map2();
    await walk(map, 1, 66);
    const asked = (attributeId: number) => map.queries.filter((query) => query.attributeId === attributeId).length;
    expect([
      asked(SaAttribute.NODE_RECORD),
      asked(SaAttribute.LINK_RECORD),
      asked(SaAttribute.LINEAR_FT_RECORD),
    ]).toEqual([5, 3, 2]);
    expect(map.queries.every(({ method }) => method === "get")).toBe(true);
  });

  it.each<[string, (map: Map2) => unknown, string, number]>([
    ["a table without an entry", (map) => map.tables.get(11)?.delete(66), '"s2" (LID 11) has no route to LID 66', 2],
    ["a link that is gone", (map) => map.links.delete("10[2]"), 'there is no link at "s1" (LID 10) port 2', 1],
    [
      "a circle",
      (map) => map.tables.get(11)?.set(66, 7),
      "no end after 64 hops: the forwarding tables lead in a circle",
      64,
    ],
    ["another host", (map) => map.tables.get(10)?.set(66, 1), 'it ends at "h1" (LID 1)', 2],
    ["a LID nobody has", (map) => map.nodes.delete(66), "the subnet administrator knows no node with LID 66", 0],
    ["a switch the SA hides", (map) => map.nodes.delete(11), "the subnet administrator knows no node with LID 11", 1],
    [
      "a refusal",
      (map) => {
        map.status = 0x0700;
      },
      "the subnet administrator refused NodeRecord with status 0x0700",
      0,
    ],
  ])("tells what stands in the way: %s", async (_what, change, problem, hops) => {
    const map = new Map2();
    change(map);
    const walked = await walk(map, 1, 66);
    expect([walked.problem, walked.hops.length]).toEqual([problem, hops]);
  });

  it("tells the code of a query that failed", async () => {
    const sa: SaService = {
      query: () => Promise.reject(coreError("VERBENA_SA_CLOSED", { details: { port: "sim0/1" } })),
    };
    const { hops, problem } = await walkRoute(sa, { slid: Lid.from(1), dlid: Lid.from(2), port: 1 });
    expect(hops).toEqual([]);
    expect(problem).toMatch(/\[VERBENA_SA_CLOSED\]$/);
  });
});
