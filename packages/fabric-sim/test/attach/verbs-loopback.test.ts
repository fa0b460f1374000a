/** The data path inside one HCA and one process: the scenarios of `verbs-loopback` and `verbs-extended`, against the library's verbs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AttachServer } from "../../src/attach/attach-server.js";
import { FakeHost } from "./fake-host.js";
import { Program } from "./programs.js";

const TIMEOUT_MS = 120_000;

describe("verbs of libfabricsim.so within one process", () => {
  let directory: string;
  let server: AttachServer;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "verbs-"));
    server = await AttachServer.listen({ host: new FakeHost(), directory });
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it.each([
    "reliable",
    "unreliable",
    "datagrams",
    "multicast",
    "rdma",
    "refusals",
    "receiver-not-ready",
    "no-peer",
    "shared-receives",
    "events",
    "acknowledgement",
    "overrun",
    "states",
    "regions",
    "closed-early",
  ])(
    "%s",
    async (scenario) => {
      expect(await new Program("verbs-loopback", [scenario], { directory, node: "H1" }).rest()).toEqual(["ok"]);
    },
    TIMEOUT_MS,
  );

  it.each([
    "built-sends",
    "built-datagrams",
    "together-or-not",
    "not-offered",
    "completions-by-field",
    "completions-of-events",
    "device-attributes",
    "device-memory",
    "reregistration",
  ])(
    "extended interface: %s",
    async (scenario) => {
      expect(await new Program("verbs-extended", [scenario], { directory, node: "H1" }).rest()).toEqual(["ok"]);
    },
    TIMEOUT_MS,
  );

  it("readers of a completion channel get what is left, then EIO and POLLHUP, when the fabric ends", async () => {
    const ending = mkdtempSync(join(tmpdir(), "verbs-"));
    const own = await AttachServer.listen({ host: new FakeHost(), directory: ending });
    const program = new Program("verbs-loopback", ["fabric-gone"], { directory: ending, node: "H1" });
    expect(await program.line()).toBe("ready");
    await own.close();
    expect(await program.rest()).toEqual(["ok"]);
    rmSync(ending, { recursive: true });
  });
});
