import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gid, Lid, PKey } from "@verbena/ib";
import { FakeHost } from "../../test/attach/fake-host.js";
import { encodeStatePage, MAX_GIDS, MAX_PKEYS, StatePageWriter } from "./state-page.js";

describe("state page", () => {
  const first = () => {
    const hca = new FakeHost().hcas()[0];
    const port = hca?.ports[0];
    if (hca === undefined || port === undefined) throw new Error("no HCA");
    return { hca, port };
  };

  it("has its fields where the library looks for them", () => {
    const { hca, port: state } = first();
    [state.pkeyViolations, state.qkeyViolations] = [7, 65_535];
    const page = encodeStatePage(hca);
    expect(page.length).toBe(256 + 1024);
    expect(page.toString("latin1", 0, 4)).toBe("VFSP");
    expect(page.readUInt32LE(20)).toBe(1);
    expect(page.readBigUInt64LE(64)).toBe(hca.nodeGuid);
    expect(page.toString("utf8", 88, 99)).toBe("node1 HCA-1");
    const port = page.subarray(256);
    expect([port.readUInt16LE(4), port.readUInt8(8), port.readUInt16LE(16), port.readUInt32LE(28)]).toEqual([
      1, 4, 32, 1000,
    ]);
    expect(port.toString("hex", 64, 80)).toBe("fe800000000000000002c90300000001");
    expect(port.toString("hex", 576, 580)).toBe("ffff0180");
    expect([port.readUInt16LE(40), port.readUInt16LE(42)]).toEqual([7, 65_535]);
  });

  it("leaves out what a record has no room for", () => {
    const { hca, port } = first();
    port.gids = Array.from({ length: MAX_GIDS + 5 }, (_, i) => Gid.from(BigInt(i)));
    port.pkeys = Array.from({ length: MAX_PKEYS + 5 }, (_, i) => PKey.from(i));
    const record = encodeStatePage(hca).subarray(256);
    expect([record.readUInt16LE(18), record.readUInt16LE(20)]).toEqual([MAX_GIDS, MAX_PKEYS]);
  });

  it("is published with an even, rising sequence and removed at close", () => {
    const directory = mkdtempSync(join(tmpdir(), "page-"));
    const { hca, port } = first();
    const writer = new StatePageWriter(join(directory, "state-0"), hca);
    expect(readFileSync(writer.path).readUInt32LE(8)).toBe(0);
    port.lid = Lid.from(77);
    writer.update();
    const page = readFileSync(writer.path);
    expect([page.readUInt32LE(8), page.readUInt16LE(256 + 4)]).toEqual([2, 77]);
    writer.close();
    expect(existsSync(writer.path)).toBe(false);
    rmSync(directory, { recursive: true });
  });
});
