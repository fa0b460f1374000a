import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Guid, Lid } from "@verbena/ib";
import fc from "fast-check";
import { collect } from "../../test/collect.js";
import { readHosts } from "./hosts-file.js";
import { OpensmDump } from "./opensm-dump.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verbena-random-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const number = fc.oneof(
  fc.nat(70_000).map(String),
  fc.nat(70_000).map((value) => `0x${value.toString(16)}`),
  fc.string(),
);
const line = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc
    .tuple(fc.constantFrom("Switch", "Channel Adapter", "Router", "UNKNOWN", "Sw"), number)
    .map(([type, lid]) => `${type} 0x1, base LID ${lid}, "x", port 1`),
  fc.tuple(number, number, number, number).map((fields) => fields.join(" : ")),
  fc.tuple(number, fc.constantFrom("fe80::1", "node1", "192.0.2.1")).map((words) => words.join(" ")),
);
const bytes = fc.oneof(
  fc.array(line, { maxLength: 20 }).map((lines) => Buffer.from(lines.join("\n"))),
  fc.uint8Array({ maxLength: 500 }).map((array) => Buffer.from(array)),
);

describe("preload readers on random input", () => {
  it("OpensmDump gives only routes that a PathRecord can hold", async () => {
    const file = join(folder, "dump");
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        const dump = await OpensmDump.open(file, () => undefined);
        for (const lid of [1, 2, 49_151]) {
          const routes = (await collect(dump.routes({ guid: 1n as Guid, lid: Lid.from(lid) }))).flat();
          for (const route of routes) {
            expect(Lid.isUnicast(route.dlid)).toBe(true);
            expect([route.sl < 16, route.mtu < 64, route.rate < 64]).toEqual([true, true, true]);
          }
        }
      }),
    );
  });

  it("readHosts gives a destination and a GID, or nothing", async () => {
    const file = join(folder, "hosts");
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        for (const { destination, gid } of await collect(readHosts(file, () => undefined))) {
          expect(["name", "ip"]).toContain(destination.kind);
          expect(gid >> 128n).toBe(0n);
        }
      }),
    );
  });
});
