/**
 * Runs every recorded command line of `ib_acme` against a stub that gives the recorded replies; requests, output and exit status
 * must be the recorded ones. Cases marked unstable (crashes and leftover texts of that program) must end in an orderly way.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedAcmService } from "@verbena/core/testing";
import { runAcme } from "./index.js";

const VECTORS = join(__dirname, "../../../ib/test/vectors");

interface AcmeCase {
  readonly kind: "requests" | "replies";
  readonly id: string;
  readonly argv: readonly string[];
  readonly requests: readonly string[];
  readonly request_count: number;
  readonly replies: readonly string[];
  readonly stdout: string;
  readonly exit: number;
  readonly unstable: boolean;
}

const { acme } = JSON.parse(readFileSync(join(VECTORS, "index.json"), "utf8")) as {
  acme: readonly (AcmeCase | { readonly kind: "librdmacm" })[];
};
const cases = acme.filter((one) => one.kind !== "librdmacm");
const read = ({ kind }: AcmeCase, file: string): string => readFileSync(join(VECTORS, kind, file), "utf8");
/** A reply is hexadecimal, `split:N:` in front if it was sent in two writes, N bytes first. Empty: the stub closed. */
function pieces(one: AcmeCase, file: string): readonly Buffer[] {
  const [, first = "0", hex = ""] = /^(?:split:(\d+):)?([0-9a-f]*)$/.exec(read(one, file).trim()) ?? [];
  const bytes = Buffer.from(hex, "hex");
  return [bytes.subarray(0, Number(first)), bytes.subarray(Number(first))].filter(({ length }) => length > 0);
}

/** A loopback address of our own: nothing else listens on the service's well-known port there. */
const HOST = "127.61.25.1";

describe("ib_acme as recorded", () => {
  const runDir = mkdtempSync(join(tmpdir(), "acme-"));
  let unix: ScriptedAcmService;
  let tcp: ScriptedAcmService;
  let wellKnown: ScriptedAcmService;

  beforeAll(async () => {
    unix = await ScriptedAcmService.start({ path: join(runDir, "ibacm-unix.sock") });
    tcp = await ScriptedAcmService.start({ host: HOST, port: 0 });
    wellKnown = await ScriptedAcmService.start({ host: HOST, port: 6125 });
  });
  afterAll(() => {
    for (const stub of [unix, tcp, wellKnown]) stub.close();
    rmSync(runDir, { recursive: true });
  });

  function stubFor(id: string): ScriptedAcmService {
    rmSync(join(runDir, "ibacm-tcp.port"), { force: true });
    if (id === "tcp-default-port") return wellKnown;
    if (id !== "tcp-port-file") return unix;
    writeFileSync(join(runDir, "ibacm-tcp.port"), `${tcp.port}\n`);
    return tcp;
  }

  async function run(one: AcmeCase): Promise<{ text: string; status: number; stub: ScriptedAcmService }> {
    const stub = stubFor(one.id);
    const replies = one.replies.map((file) => pieces(one, file));
    stub.script((_, n, socket) => {
      const [first, second] = replies[Math.min(n, replies.length - 1)] ?? [];
      if (first !== undefined) socket.write(first);
      if (second !== undefined) setImmediate(() => socket.write(second));
      if (one.unstable) setImmediate(() => socket.end());
    });
    let text = "";
    const io = { out: (more: string) => (text += more), err: (more: string) => (text += more) };
    const args = one.argv.slice(1).map((word) => (word === "127.0.0.1" ? HOST : word));
    const status = await runAcme(args, io, { runDir });
    return { text: text.replaceAll(HOST, "127.0.0.1").replaceAll(`${runDir}/ibacm`, "/run/ibacm"), status, stub };
  }

  it.each(cases.filter(({ unstable }) => !unstable).map((one) => [`${one.kind}/${one.id}`, one] as const))(
    "%s",
    async (_, one) => {
      const { text, status, stub } = await run(one);
      expect(text).toBe(read(one, one.stdout));
      expect(status).toBe(one.exit);
      const recorded = one.requests.map((file) => read(one, file).trim());
      expect(stub.requests.slice(0, recorded.length).map((request) => request.toString("hex"))).toEqual(recorded);
      expect(stub.requests).toHaveLength(one.request_count);
    },
  );

  it.each(cases.filter(({ unstable }) => unstable).map((one) => [`${one.kind}/${one.id}`, one] as const))(
    "%s: ends in an orderly way",
    async (_, one) => {
      const { text, status } = await run(one);
      expect([0, 255]).toContain(status);
      expect(text).toMatch(/return status 0x(0|ffffffff)\n$/);
    },
  );

  it("covers the recordings", () => {
    expect(cases.filter(({ unstable }) => !unstable)).toHaveLength(67);
    expect(cases).toHaveLength(73);
  });
});
