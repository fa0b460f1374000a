import { mkdtemp, readFile, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Guid, Lid } from "@verbena/ib";
import { fakeHost } from "../../test/support/fake-host.js";
import type { AddressLine } from "../config/addresses/address-list.js";
import type { EngineChange } from "../engine/contract.js";
import { Feed } from "../engine/feed.js";
import { silentLogger } from "../host/default-services.js";
import type { FakeNative } from "../testing/fake-native.js";
import { DefaultNames } from "./default-names.js";

const HOST = hostname().split(".")[0] ?? "";
const UNNAMED = { supportIps: false, isFound: false, lines: [] } as const;

let native: FakeNative;
let feed: Feed<EngineChange>;
let names: DefaultNames;

beforeEach(() => {
  native = fakeHost();
  feed = new Feed();
  names = new DefaultNames(native, silentLogger);
});

afterEach(() => {
  names.close();
  feed.close();
});

const told = (lines: readonly Pick<AddressLine, "text" | "device" | "port">[]): string[] =>
  lines.map(({ text, device, port }) => `${text} ${device}/${port}`);

/** The names that the engine is given next. */
function nextNames(config: typeof UNNAMED | (typeof UNNAMED & { readonly file: string }) = UNNAMED): Promise<string[]> {
  return new Promise((settle) => {
    const setAddressFile = (lines: readonly { text: string; device: string; port: number }[]): void => {
      settle(told(lines));
    };
    names.follow({ changes: (signal) => feed.open(signal), setAddressFile }, config);
  });
}

function becomesActive(device: string): void {
  feed.emit({ type: "port", device, port: 1, state: "active", generation: 1 });
}

describe("DefaultNames", () => {
  it("names the ports of an adapter that comes later", async () => {
    native.unplug("fake0");
    expect(await names.read(UNNAMED)).toEqual([]);
    const later = nextNames();
    native.plug({
      name: "late0",
      nodeGuid: Guid.from(0x200000n),
      ports: [{ port: 1, portGuid: Guid.from(0x200001n), lid: Lid.from(5) }],
    });
    becomesActive("late0");
    expect(await later).toEqual([`${HOST} late0/1`, `${HOST}-1 late0/1`]);
  });

  it("gives the host's own name to the first port that becomes active, and writes the file then", async () => {
    const folder = await mkdtemp(join(tmpdir(), "verbena-names-"));
    try {
      const config = { ...UNNAMED, file: join(folder, "addr.cfg") };
      native.set("fake0", 1, { state: "down" });
      expect(told(await names.read(config))).toEqual([`${HOST}-1 fake0/1`]);
      await expect(readFile(config.file)).rejects.toMatchObject({ code: "ENOENT" });
      native.set("fake0", 1, { state: "active" });
      const later = nextNames(config);
      becomesActive("fake0");
      expect(await later).toEqual([`${HOST} fake0/1`, `${HOST}-1 fake0/1`]);
      expect(await readFile(config.file, "utf8")).toContain(`\n${HOST} fake0 1 default\n`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("leaves names as they are that a file has given, and those of ports that have one", async () => {
    await names.read(UNNAMED);
    let isChanged = false;
    const engine = {
      changes: (signal?: AbortSignal) => feed.open(signal),
      setAddressFile: () => {
        isChanged = true;
      },
    };
    names.follow(engine, { ...UNNAMED, isFound: true });
    names.follow(engine, UNNAMED);
    becomesActive("fake0");
    await new Promise((settle) => setImmediate(settle));
    expect(isChanged).toBe(false);
  });
});
