import {
  decodeGuidInfoRecord,
  decodeLftRecord,
  decodeNodeRecord,
  decodePathRecord,
  decodeSaMad,
  emptyPathRecord,
  encodeLftRecord,
  encodePathRecord,
  encodeSaMad,
  Gid,
  Lid,
  MadMethod,
  MadStatus,
  PKey,
  pathRecordMask,
  RmppFlag,
  RmppType,
  SaAttribute,
} from "@verbena/ib";
import fc from "fast-check";
import { changeGid } from "../src/control/table-commands.js";
import { Simulation } from "../src/process/simulation.js";
import { RmppReceiver } from "../src/sa/rmpp-receiver.js";
import { RmppSender } from "../src/sa/rmpp-sender.js";
import { fatTree } from "../src/topology/generate.js";
import { parseTopology } from "../src/topology/parse-topology.js";
import { ManualServices } from "./manual-services.js";
import { SaClient } from "./sa-client.js";

describe("tables of path records", () => {
  const services = new ManualServices();
  const simulation = new Simulation(fatTree({ hosts: 100, leafs: 4, spines: 2 }), services);
  const client = new SaClient(simulation, services, "H50");

  it("have all pairs of a fabric of 106 ports", () => {
    const pairs = new Set(
      client
        .table(SaAttribute.PATH_RECORD)
        .map((data) => `${decodePathRecord(data).slid} ${decodePathRecord(data).dlid}`),
    );
    expect(pairs.size).toBe(106 * 106);
  });

  it("have one path from a port to every port, itself included", () => {
    const wanted = { sgid: client.port.gid };
    const paths = client
      .table(SaAttribute.PATH_RECORD, encodePathRecord(emptyPathRecord(wanted)), pathRecordMask(wanted))
      .map((data) => decodePathRecord(data));
    expect(paths).toHaveLength(106);
    expect(new Set(paths.map((path) => path.dgid)).size).toBe(106);
    expect(paths.every((path) => path.sgid === client.port.gid && path.reversible && path.numbPath === 0)).toBe(true);
    const self = paths.find((path) => path.dgid === client.port.gid);
    expect(self?.packetLifeTime).toBe(0);
  });

  it("have the blocks of each switch's forwarding table up to its highest LID", () => {
    const { switches } = simulation.sm.subnet;
    const records = client.table(SaAttribute.LINEAR_FT_RECORD).map((data) => decodeLftRecord(data));
    // LIDs 1 to 106 are in two blocks.
    expect(records.map(({ lid, blockNum }) => [lid, blockNum])).toEqual(
      switches.flatMap(({ ports }) => [0, 1].map((blockNum) => [ports[0]?.lid, blockNum])),
    );
    for (const { lid, blockNum, ports } of records) {
      const tables = switches.find((node) => node.ports[0]?.lid === lid)?.tables;
      expect([...ports]).toEqual(Array.from({ length: 64 }, (_, index) => tables?.entry(blockNum * 64 + index)));
    }
    const wanted = encodeLftRecord({ lid: records[0]?.lid ?? Lid.zero, blockNum: 1, ports: [] });
    expect(decodeLftRecord(client.get(SaAttribute.LINEAR_FT_RECORD, wanted, 3n).data)).toEqual(records[1]);
    const absent = encodeLftRecord({ lid: Lid.from(0xbfff), blockNum: 0, ports: [] });
    expect(client.get(SaAttribute.LINEAR_FT_RECORD, absent, 3n).status).toBe(0x0300);
  });

  it("have one node record for each node", () => {
    const names = client.table(SaAttribute.NODE_RECORD).map((data) => decodeNodeRecord(data).nodeDescription);
    expect(new Set(names).size).toBe(106);
  });
});

describe("alias GIDs", () => {
  it("lead to the port that has them, under the name they were asked by", () => {
    const services = new ManualServices();
    const simulation = new Simulation(fatTree({ hosts: 8, leafs: 2, spines: 1 }), services);
    const client = new SaClient(simulation, services, "H1");
    const port = simulation.fabric.portNamed("H8");
    const dgid = Gid.parse("fe80::aa");
    const wanted = { sgid: client.port.gid, dgid };
    const ask = () =>
      client.get(SaAttribute.PATH_RECORD, encodePathRecord(emptyPathRecord(wanted)), pathRecordMask(wanted));
    expect(ask().status).toBe(MadStatus.SA_NO_RECORDS);
    changeGid(simulation.fabric, { op: "gid", end: "H8", index: 9, guid: "0xaa" });
    expect(decodePathRecord(ask().data)).toMatchObject({ dgid, dlid: port.lid, sgid: client.port.gid });
    const guids = client
      .table(SaAttribute.GUID_INFO_RECORD)
      .map((data) => decodeGuidInfoRecord(data))
      .filter(({ lid }) => lid === port.lid);
    expect(guids.map((record) => record.guids[1])).toEqual([0n, 0xaan, 0n, 0n]);
    changeGid(simulation.fabric, { op: "gid", end: "H8", index: 9 });
    expect(ask().status).toBe(MadStatus.SA_NO_RECORDS);
  });
});

describe("LMC", () => {
  it("gives 2^lmc paths between two ports, the disjoint ones first", () => {
    const services = new ManualServices();
    const simulation = new Simulation(fatTree({ hosts: 4, leafs: 2, spines: 2, lmc: 1 }), services);
    const client = new SaClient(simulation, services, "H1");
    const h4 = simulation.fabric.portNamed("H4");
    expect(h4.lid % 2).toBe(0);
    const ask = (numbPath?: number) => {
      const wanted = { sgid: client.port.gid, dgid: h4.gid, ...(numbPath === undefined ? {} : { numbPath }) };
      return client
        .table(SaAttribute.PATH_RECORD, encodePathRecord(emptyPathRecord(wanted)), pathRecordMask(wanted))
        .map((data) => decodePathRecord(data))
        .map((path) => [path.slid - client.port.lid, path.dlid - h4.lid, path.preference]);
    };
    expect(ask()).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [0, 1, 2],
      [1, 0, 2],
    ]);
    expect(ask(3)).toHaveLength(3);
    expect(ask(1)).toEqual([[0, 0, 0]]);
  });
});

describe("partitions", () => {
  const text = [
    'Switch 4 "S"',
    '[1] "A"[1]',
    '[2] "B"[1]',
    '[3] "C"[1]',
    "",
    'Hca 1 "A"',
    '[1] "S"[1]',
    "",
    "pkeys=0x7fff,0x8001",
    'Hca 1 "B"',
    '[1] "S"[2]',
    "",
    "pkeys=0x7fff,0x0001",
    'Hca 1 "C"',
    '[1] "S"[3]',
  ].join("\n");

  it("let limited members see full members only", () => {
    const services = new ManualServices();
    const simulation = new Simulation(parseTopology(text), services);
    const b = new SaClient(simulation, services, "B");
    b.pkey = PKey.DEFAULT_LIMITED;
    const path = (to: string, pkey?: number) => {
      const wanted = {
        sgid: b.port.gid,
        dgid: simulation.fabric.portNamed(to).gid,
        ...(pkey === undefined ? {} : { pkey: PKey.from(pkey) }),
      };
      const records = b.table(
        SaAttribute.PATH_RECORD,
        encodePathRecord(emptyPathRecord(wanted)),
        pathRecordMask(wanted),
      );
      return records.map((data) => PKey.format(decodePathRecord(data).pkey));
    };
    expect(path("A")).toEqual(["0x7fff"]);
    expect(path("C")).toEqual(["0x8001"]);
    expect(path("C", 0xffff)).toEqual([]);
    expect(path("A", 0x8001)).toEqual([]);
  });

  it("keep packets with a foreign P_Key from the SA", () => {
    const services = new ManualServices();
    const simulation = new Simulation(parseTopology(text), services);
    const b = new SaClient(simulation, services, "B");
    b.pkey = PKey.from(0x8001);
    expect(b.request({ method: MadMethod.GET, attributeId: SaAttribute.CLASS_PORT_INFO })).toBeUndefined();
  });
});

describe("RMPP", () => {
  const message = (size: number) => {
    const head = encodeSaMad({
      method: MadMethod.GET_TABLE_RESP,
      tid: 7n,
      attributeId: SaAttribute.PATH_RECORD,
      attributeOffset: 8,
    }).subarray(0, 56);
    return Buffer.concat([head, Buffer.from(Array.from({ length: size }, (_, index) => index % 251))]);
  };

  it("brings any message through a lossy fabric, whole and in order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 1, max: 64 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
        (size, window, luck) => {
          const services = new ManualServices();
          const receiver = new RmppReceiver(window);
          const original = message(size);
          let got: Buffer | undefined;
          const ends: string[] = [];
          const isLost = () => luck.next().value === 0;
          const sender = new RmppSender({
            message: original,
            clock: services.clock,
            retries: 50,
            send: (mad) => {
              services.defer(() => {
                if (isLost()) return;
                const progress = receiver.receive(mad);
                got = progress.message ?? got;
                const { reply } = progress;
                if (reply !== undefined && !isLost()) services.defer(() => sender.receive(reply));
              });
            },
            onEnd: (how) => ends.push(how),
          });
          sender.start();
          services.advance(1_000_000);
          expect(ends).toEqual(["done"]);
          expect(got?.subarray(56)).toEqual(original.subarray(56));
          expect(services.timers).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("gives up on a receiver that does not answer, or that stops", () => {
    const services = new ManualServices();
    const ends: string[] = [];
    const sent: Buffer[] = [];
    const sender = new RmppSender({
      message: message(500),
      clock: services.clock,
      send: (mad) => sent.push(mad),
      onEnd: (how) => ends.push(how),
    });
    sender.start();
    services.advance(8000);
    expect(ends).toEqual(["timeout"]);
    expect(sent).toHaveLength(8);
    const stopped = new RmppSender({
      message: message(500),
      clock: services.clock,
      send: (mad) => sent.push(mad),
      onEnd: (how) => ends.push(how),
    });
    stopped.start();
    const abort = Buffer.from(sent[0]!);
    abort.writeUInt8(RmppType.ABORT, 25);
    stopped.receive(abort);
    expect(ends).toEqual(["timeout", "aborted"]);
  });

  it("counts lengths with the SA header of every segment", () => {
    const services = new ManualServices();
    const sent: Buffer[] = [];
    const sender = new RmppSender({
      message: message(450),
      clock: services.clock,
      send: (mad) => sent.push(mad),
      onEnd: () => undefined,
    });
    sender.start();
    const receiver = new RmppReceiver(8);
    // Acknowledgements make the list longer while it is walked.
    for (const mad of sent) {
      const { reply } = receiver.receive(mad);
      if (reply !== undefined) sender.receive(reply);
    }
    const headers = sent.map((mad) => decodeSaMad(mad).rmpp);
    expect(
      headers.map(({ flags, segment, payloadLengthOrNewWindow }) => [flags, segment, payloadLengthOrNewWindow]),
    ).toEqual([
      [RmppFlag.ACTIVE | RmppFlag.FIRST, 1, 450 + 3 * 20],
      [RmppFlag.ACTIVE, 2, 0],
      [RmppFlag.ACTIVE | RmppFlag.LAST, 3, 50 + 20],
    ]);
  });
});
