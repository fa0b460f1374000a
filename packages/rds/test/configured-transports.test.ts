import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A package of somebody else's, without ours: it serves 192.0.2.1, and whatever it is given counts as received. */
const THIRD_PARTY = `
exports[Symbol.for("verbena.provider")] = true;
exports.manifest = { name: "acme", version: "3.1.4", sdk: "^1.3", roles: ["transport"] };
exports.provider = () => ({
  transports: [{
    kind: "messages",
    name: "acme",
    claims: ({ address }) => address === "192.0.2.1",
    open: async () => ({
      link: (remote, source) => {
        source.connectionUp();
        const pump = () => {
          for (let frame = source.next(); frame !== undefined; frame = source.next()) {
            if (frame.bytes.length === 53) globalThis.acmeSent = frame.bytes.toString("latin1", 48) + " to " + remote.address;
            source.acked(frame.end);
          }
        };
        return { state: "up", wake: () => queueMicrotask(pump), close: () => {} };
      },
      close: async () => {},
    }),
  }],
  [Symbol.asyncDispose]: async () => {},
});`;

describe("transports named in verbena.yaml", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "verbena-rds-"));
    const home = join(folder, "node_modules", "acme-transport");
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, "package.json"),
      JSON.stringify({ name: "acme-transport", version: "3.1.4", main: "index.js" }),
    );
    writeFileSync(join(home, "index.js"), THIRD_PARTY);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  // In a process of its own: jest replaces `require`, and loading is what is tested.
  const run = (yaml: string, ...addresses: string[]): unknown => {
    const config = join(folder, "verbena.yaml");
    writeFileSync(config, yaml);
    const program = join(__dirname, "fixtures", "configured-transports.cjs");
    return JSON.parse(execFileSync(process.execPath, [program, config, ...addresses], { encoding: "utf8" }));
  };

  it("a third party's serves the address it claims, and carries what is sent from there", () => {
    const yaml = "providers: [{ package: acme-transport }]\nrds: { transports: [loop] }\n";
    expect(run(yaml, "192.0.2.1", "127.0.0.1", "192.0.2.2")).toEqual({
      names: ["acme", "loopback"],
      served: { "192.0.2.1": "acme", "127.0.0.1": "loopback", "192.0.2.2": "VERBENA_RDS_EADDRNOTAVAIL" },
      sent: "hello to 192.0.2.9",
    });
  });

  it("without a word there are loopback and the kernel, and an empty list switches all off", () => {
    expect(run("rds: {}\n")).toMatchObject({ names: ["loopback", "kernel"] });
    expect(run("rds: { transports: [] }\n", "127.0.0.1")).toEqual({
      names: [],
      served: { "127.0.0.1": "VERBENA_RDS_EADDRNOTAVAIL" },
    });
  });

  it("tcp serves what it is told to, when it is named", () => {
    const yaml = "rds: { transports: [tcp, loop], options: { tcp: { addresses: [127.0.0.77] } } }\n";
    expect(run(yaml, "127.0.0.77", "127.0.0.1")).toMatchObject({
      served: { "127.0.0.77": "tcp", "127.0.0.1": "loopback" },
    });
    const noAddress = "rds: { transports: [tcp], options: { tcp: { addresses: [nowhere] } } }\n";
    expect(run(noAddress)).toMatchObject({ code: "VERBENA_PROVIDER_OPTIONS" });
  });

  it("a name that is none is refused before anything runs", () => {
    expect(run("rds: { transports: [carrier-pigeon] }\n")).toMatchObject({ code: "VERBENA_PROVIDER_OPTIONS" });
  });
});
