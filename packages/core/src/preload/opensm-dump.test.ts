import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Guid, Lid } from "@verbena/ib";
import { collect } from "../../test/collect.js";
import { type DumpRoute, OpensmDump } from "./opensm-dump.js";

/** The example of the format: written as OpenSM's plug-in does. */
const EXAMPLE = `Channel Adapter 0x0000000000100001, base LID 1, "host-a HCA-1", port 1
# LID  : SL : MTU : RATE
0x0001 : 0  : 4   : 3   
0x0003 : 0  : 4   : 3   
0x0004 : 2  : 4   : 3   
0x0005 : UNREACHABLE

Switch 0x0000000000200000, base LID 2, "sw-1", port 0
# LID  : SL : MTU : RATE
0x0001 : 0  : 4   : 3   

Channel Adapter 0x0000000000100003, base LID 3, "host-b, HCA-1", port 1
# LID  : SL : MTU : RATE
0x0001 : 1  : 5   : 16  
0x0003 : 0  : 5   : 16  

Router 0x0000000000100004, base LID 4, "rt", port 1
0x0001 : 0  : 4   : 3
UNKNOWN 0x0000000000100005, base LID 5, "?", port 1
0x0001 : 7  : 4   : 3
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-dump-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function dumpOf(text: string, name = "dump"): Promise<{ dump: OpensmDump; reports: string[]; path: string }> {
  const path = join(folder, name);
  await writeFile(path, text);
  const reports: string[] = [];
  const dump = await OpensmDump.open(path, (_, line, message) => reports.push(`${String(line)}: ${message}`));
  return { dump, reports, path };
}

async function routes(dump: OpensmDump, guid: bigint, lid: number): Promise<DumpRoute[]> {
  return (await collect(dump.routes({ guid: Guid.from(guid), lid: Lid.from(lid) }))).flat();
}

describe("OpensmDump", () => {
  it("gives the paths of one port with the GUIDs behind the LIDs", async () => {
    const { dump, reports } = await dumpOf(EXAMPLE);
    expect(await routes(dump, 0x100001n, 1)).toEqual([
      { dlid: 1, sl: 0, mtu: 4, rate: 3, guid: 0x100001n },
      { dlid: 3, sl: 0, mtu: 4, rate: 3, guid: 0x100003n },
      { dlid: 4, sl: 2, mtu: 4, rate: 3, guid: 0x100004n },
    ]);
    expect(await routes(dump, 0x100003n, 3)).toEqual([
      { dlid: 1, sl: 1, mtu: 5, rate: 16, guid: 0x100001n },
      { dlid: 3, sl: 0, mtu: 5, rate: 16, guid: 0x100003n },
    ]);
    expect(await routes(dump, 0x100004n, 4)).toEqual([{ dlid: 1, sl: 0, mtu: 4, rate: 3, guid: 0x100001n }]);
    expect(dump.portCount).toBe(4);
    expect(reports).toEqual(["19: header without port GUID or unicast base LID; its block is skipped"]);
  });

  it("needs both GUID and base LID of the port", async () => {
    const { dump } = await dumpOf(EXAMPLE);
    expect(await routes(dump, 0x100001n, 2)).toEqual([]);
    expect(await routes(dump, 0x999999n, 1)).toEqual([]);
  });

  it("keeps the first of two ports with one LID, and skips lines it cannot read", async () => {
    const { dump, reports } = await dumpOf(
      [
        'Switch 0x1, base LID 1, "a", port 0',
        "0x0002 : 0 : 4 : 3",
        "0xc000 : 0 : 4 : 3",
        "0x0002 : 16 : 4 : 3",
        "0x0009 : 0 : 4 : 3",
        "2 : 0 : 4",
        'Channel Adapter 0x2, base LID 0x2, "b", port 1',
        'Channel Adapter 0x3, base LID 2, "c", port 1',
        'Channel Adapter 0x4, base LID 49152, "multicast", port 1',
      ].join("\r\n"),
    );
    expect(reports.splice(0)).toEqual([
      "8: LID 2 occurs twice; the first one counts",
      "9: header without port GUID or unicast base LID; its block is skipped",
    ]);
    expect(await routes(dump, 1n, 1)).toEqual([{ dlid: 2, sl: 0, mtu: 4, rate: 3, guid: 2n }]);
    expect(reports.map((line) => line.slice(0, 2))).toEqual(["3:", "4:", "6:"]);
  });

  it("notices that the file was replaced", async () => {
    const { dump, path } = await dumpOf(EXAMPLE, "replaced");
    expect(await dump.isCurrent()).toBe(true);
    await writeFile(path, `${EXAMPLE}\n`);
    expect(await dump.isCurrent()).toBe(false);
  });

  it("rejects with the system's error when there is no file", async () => {
    await expect(OpensmDump.open(join(folder, "none"), () => undefined)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("reads a dump of 100,000 lines in place", async () => {
    const path = join(folder, "big");
    const ports = 316;
    const handle = await open(path, "w");
    for (let source = 1; source <= ports; source += 1) {
      const lines = [
        `Channel Adapter 0x${source.toString(16).padStart(16, "0")}, base LID ${String(source)}, "h${String(source)}", port 1`,
      ];
      for (let lid = 1; lid <= ports; lid += 1)
        lines.push(`0x${lid.toString(16).padStart(4, "0")} : ${String(source % 16)}  : 4   : 3   `);
      await handle.write(`${lines.join("\n")}\n\n`);
    }
    await handle.close();
    const before = process.memoryUsage();
    const dump = await OpensmDump.open(path, () => undefined);
    const last = await routes(dump, BigInt(ports), ports);
    const after = process.memoryUsage();
    expect(dump.portCount).toBe(ports);
    expect(last).toHaveLength(ports);
    expect(last.at(-1)).toEqual({ dlid: ports, sl: ports % 16, mtu: 4, rate: 3, guid: BigInt(ports) });
    // The file has 2.9 MB; a reader that held it whole would show here.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_500_000);
  });
});
