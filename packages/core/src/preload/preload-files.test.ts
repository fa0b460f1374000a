import { execFileSync } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyPathRecord, Gid, Guid, Lid, Mtu, PKey, Rate } from "@verbena/ib";
import { collect } from "../../test/collect.js";
import type { Endpoint } from "../sdk/endpoint.js";
import type { Logger } from "../sdk/services.js";
import { PreloadFiles } from "./preload-files.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-preload-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => {
    lines.push(`${level} ${message.replaceAll(`${folder}/`, "")}`);
  };
  const logger: Logger = {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    child: () => logger,
  };
  return { logger, lines };
}

const gid = Gid.of(Gid.linkLocalPrefix, 0x100001n);
const endpoint: Endpoint = {
  key: "sim0/1/0xffff",
  pkey: PKey.DEFAULT,
  pkeyIndex: 0,
  addresses: [],
  port: {
    device: "sim0",
    nodeGuid: Guid.from(0x100000n),
    portCount: 1,
    port: 1,
    portGuid: Guid.from(0x100001n),
    state: "active",
    lid: Lid.from(1),
    lmc: 0,
    smLid: Lid.from(1),
    smSl: 0,
    subnetTimeout: 18,
    activeMtu: Mtu.zero,
    activeRate: Rate.zero,
    gids: [gid],
    pkeys: [PKey.DEFAULT],
    linkLayer: "InfiniBand",
    generation: 1,
  },
};

const DUMP = `Channel Adapter 0x0000000000100001, base LID 1, "host-a HCA-1", port 1
0x0001 : 0  : 4   : 3   
0x0003 : 2  : 5   : 16  
Channel Adapter 0x0000000000100003, base LID 3, "host-b HCA-1", port 1
`;

describe("PreloadFiles", () => {
  it("gives the routes of the endpoint's port, then the hosts", async () => {
    const routeDump = join(folder, "dump");
    const hosts = join(folder, "hosts");
    await writeFile(routeDump, DUMP);
    await writeFile(
      hosts,
      "# address                 GID\n192.0.2.2                 fe80::10:3\nNode3  fe80::10:5 more\n2001:db8::3 fe80::10:5\n",
    );
    const { logger, lines } = recorder();
    const entries = await collect(new PreloadFiles({ hosts, routeDump, logger }).entries(endpoint));
    const own = emptyPathRecord({
      dgid: gid,
      sgid: gid,
      dlid: Lid.from(1),
      slid: Lid.from(1),
      reversible: true,
      pkey: PKey.DEFAULT,
      mtu: Mtu.from(4),
      rate: Rate.from(3),
    });
    expect(entries).toEqual([
      { kind: "route", isLocal: true, path: own },
      {
        kind: "route",
        isLocal: false,
        path: {
          ...own,
          dgid: Gid.parse("fe80::10:3"),
          dlid: 3,
          sl: 2,
          mtu: 5,
          rate: 16,
          packetLifeTime: 18,
        },
      },
      {
        kind: "address",
        destination: { kind: "ip", address: "192.0.2.2", text: "192.0.2.2" },
        gid: Gid.parse("fe80::10:3"),
      },
      { kind: "address", destination: { kind: "name", name: "node3", text: "Node3" }, gid: Gid.parse("fe80::10:5") },
      {
        kind: "address",
        destination: { kind: "ip", address: "2001:db8::3", text: "2001:db8::3" },
        gid: Gid.parse("fe80::10:5"),
      },
    ]);
    expect(lines).toEqual(["info paths preloaded"]);
  });

  it("reports and skips bad lines, and goes on", async () => {
    const hosts = join(folder, "hosts");
    await writeFile(hosts, `node1\nnode2 192.0.2.1\n${"n".repeat(46)} fe80::1\nnode4 fe80::4\nfe80::5%ib0 fe80::5\n`);
    const { logger, lines } = recorder();
    const entries = await collect(new PreloadFiles({ hosts, logger }).entries(endpoint));
    expect(entries).toHaveLength(1);
    expect(lines).toEqual([
      "warn hosts:1: node1 has no GID; the line is skipped",
      'warn hosts:2: "192.0.2.1" is not a GID; the line is skipped',
      "warn hosts:3: address longer than 45 characters; the line is skipped",
      "warn hosts:5: fe80::5%ib0: a scope id (%…) means nothing on another host; write the address without it; the line is skipped",
    ]);
  });

  it("logs files that cannot be read and gives nothing", async () => {
    const { logger, lines } = recorder();
    const files = new PreloadFiles({ hosts: join(folder, "none"), routeDump: join(folder, "none"), logger });
    expect(await collect(files.entries(endpoint))).toEqual([]);
    expect(lines).toEqual(["error path dump cannot be read", "error hosts data file cannot be read"]);
  });

  it("reads a dump again after it was replaced", async () => {
    const routeDump = join(folder, "dump");
    await writeFile(routeDump, DUMP);
    const files = new PreloadFiles({ routeDump, logger: recorder().logger });
    expect(await collect(files.entries(endpoint))).toHaveLength(2);
    await writeFile(routeDump, `# a longer file\n${DUMP.replace("0x0003 : 2", "0x0003 : 9")}`);
    const again = await collect(files.entries(endpoint));
    expect(again).toHaveLength(2);
    expect(again[1]).toMatchObject({ path: { sl: 9 } });
  });

  it("stops when aborted", async () => {
    const hosts = join(folder, "hosts");
    await writeFile(hosts, "node1 fe80::1\n");
    const files = new PreloadFiles({ hosts, logger: recorder().logger });
    await expect(collect(files.entries(endpoint, AbortSignal.abort(new Error("gone"))))).rejects.toThrow("gone");
  });

  it("reports files that are none and goes on without them", async () => {
    execFileSync("mkfifo", [join(folder, "fifo")]);
    const { logger, lines } = recorder();
    const fifo = join(folder, "fifo");
    expect(await collect(new PreloadFiles({ hosts: fifo, routeDump: fifo, logger }).entries(endpoint))).toEqual([]);
    expect(lines).toEqual(["error path dump cannot be read", "error hosts data file cannot be read"]);
  });

  it("gives up the walk over the dump when it is no longer wanted", async () => {
    await writeFile(join(folder, "dump"), DUMP);
    const { logger, lines } = recorder();
    const files = new PreloadFiles({ routeDump: join(folder, "dump"), logger, signal: AbortSignal.abort() });
    expect(await collect(files.entries(endpoint))).toEqual([]);
    expect(lines).toEqual([]);
  });

  it("takes no hosts file above 64 MiB", async () => {
    await writeFile(join(folder, "hosts"), "");
    await truncate(join(folder, "hosts"), 64 * 1024 * 1024 + 1);
    const { logger, lines } = recorder();
    expect(await collect(new PreloadFiles({ hosts: join(folder, "hosts"), logger }).entries(endpoint))).toEqual([]);
    expect(lines).toEqual(["error hosts data file cannot be read"]);
  });
});
