/**
 * Replays the requests recorded from the real daemon against the handler, over an engine that knows the recorded fabric, and
 * compares the replies byte for byte. Where ours is meant to differ, the reason is given and the difference asserted.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AcmEdgeCounters, createAcmHandler } from "../src/acm/index.js";
import type { AcmClientHandle, AcmRequestHandler } from "../src/server/index.js";
import { RecordedFabric, type RecordedSetup } from "./support/recorded-fabric.js";

const VECTORS = join(__dirname, "../../ib/test/vectors");

interface DaemonCase {
  readonly id: string;
  readonly setup: string;
  readonly requests: readonly string[];
  readonly replies: readonly string[];
  readonly closed: boolean;
}

const { daemon } = JSON.parse(readFileSync(join(VECTORS, "index.json"), "utf8")) as { daemon: readonly DaemonCase[] };

function hex(folder: string, file: string): Buffer {
  return Buffer.from(readFileSync(join(VECTORS, folder, file), "utf8").trim(), "hex");
}

const client: AcmClientHandle = { id: 1, kind: "unix", signal: new AbortController().signal };

function ask(handler: AcmRequestHandler, request: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    handler.handle(client, request, resolve);
  });
}

function setupOf({ id, setup }: DaemonCase): RecordedSetup {
  if (setup === "base") return {};
  if (setup.startsWith("P_Key table")) return { hasFailedEndpoint: true };
  if (setup.startsWith("route_prot acm")) return { paths: id.includes("path-gid") ? "sa" : "group" };
  if (setup.startsWith("route_preload")) return { paths: "dump" };
  const status = /^sa-status-(\w+?)-/.exec(id)?.[1] ?? "";
  return { saStatus: status === "timeout" ? "timeout" : Number.parseInt(status, 16) };
}

/** Codes in the low byte of the MAD status: the recorded daemon takes them for success and caches the echoed request as a path. */
const isLowByteError = (id: string): boolean => /^sa-status-00\w\w-path-by-gid$/.test(id);
const answered = daemon.filter(({ closed, replies }) => !closed && replies.length > 0);

describe("replies of the recorded daemon", () => {
  it.each(
    answered.filter(({ id, setup }) => setup !== "base" && !isLowByteError(id)).map((one) => [one.id, one] as const),
  )("%s", async (_, one) => {
    const handler = createAcmHandler({ engine: new RecordedFabric(setupOf(one)) });
    for (const [n, request] of one.requests.entries()) {
      const reply = await ask(handler, hex("daemon", request));
      expect(reply.toString("hex")).toBe(hex("daemon", one.replies[n]!).toString("hex"));
    }
  });

  it.each(answered.filter(({ id }) => isLowByteError(id)).map((one) => [one.id, one] as const))(
    "%s: not taken for a path, answered with status 2 instead",
    async (_, one) => {
      const handler = createAcmHandler({ engine: new RecordedFabric(setupOf(one)) });
      const reply = await ask(handler, hex("daemon", one.requests[0]!));
      expect(reply.toString("hex")).toBe("01010200000010008877665544332211");
    },
  );

  // One after the other, on one handler: the edge's counters in the PERF replies depend on all requests before.
  describe("base set-up, in the recorded order", () => {
    const fabric = new RecordedFabric();
    fabric.engineCounters = {
      error: 0,
      resolve: 0,
      noData: 0,
      addressQuery: 7,
      addressCache: 0,
      routeQuery: 14,
      routeCache: 4,
    };
    fabric.endpointCounters = {
      error: 1,
      resolve: 17,
      noData: 3,
      addressQuery: 7,
      addressCache: 0,
      routeQuery: 14,
      routeCache: 4,
    };
    const handler = createAcmHandler({ engine: fabric, edge: new AcmEdgeCounters() });

    it.each(answered.filter(({ setup }) => setup === "base").map((one) => [one.id, one] as const))(
      "%s",
      async (_, one) => {
        const reply = await ask(handler, hex("daemon", one.requests[0]!));
        expect(reply.toString("hex")).toBe(hex("daemon", one.replies[0]!).toString("hex"));
      },
    );
  });

  it("covers every recorded exchange", () => {
    expect(answered).toHaveLength(89);
    const closed = daemon.filter((one) => one.closed).map(({ id }) => id);
    expect(closed).toEqual([
      "bad-version",
      "unknown-opcode-4",
      "length-mismatch",
      "request-split-over-two-writes",
      "two-requests-in-one-write",
      "perf-with-little-endian-length",
      "single-byte",
    ]);
  });
});
