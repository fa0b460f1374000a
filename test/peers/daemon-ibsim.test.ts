/**
 * `verbena serve` with provider-sa on ibsim and a real OpenSM, host after host (ibsim serves few clients at a time): every pair of a
 * 20-host net by LID and by GID, each record compared with what `saquery` prints, field by field.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AcmClient } from "@verbena/core/client";
import { Gid, Lid, type PathRecord } from "@verbena/ib";
import { Ibsim, ibsimMissing, printed } from "./ibsim.js";
import { records, run } from "./sim-programs.js";

const HOSTS = 20;
const PROGRAM = join(__dirname, "../../packages/cli/bin/verbena.js");
const title = `the daemon on ibsim${ibsimMissing === "" ? "" : ` (skipped: not installed: ${ibsimMissing}; scripts/bootstrap --peers)`}`;

jest.setTimeout(600_000);

/** Two leaf switches of ten hosts each, joined by a third. */
function net(): string {
  const hosts = Array.from({ length: HOSTS }, (_, n) => ({
    name: `H${n + 1}`,
    leaf: n < HOSTS / 2 ? "L1" : "L2",
    port: (n % (HOSTS / 2)) + 1,
  }));
  const leaf = (name: string, top: number) =>
    [
      `Switch 12 "${name}"`,
      ...hosts.filter((host) => host.leaf === name).map((host) => `[${host.port}] "${host.name}"[1]`),
      `[11] "S1"[${top}]`,
    ].join("\n");
  const top = `Switch 4 "S1"\n[1] "L1"[11]\n[2] "L2"[11]`;
  return [
    leaf("L1", 1),
    leaf("L2", 2),
    top,
    ...hosts.map((host) => `Hca 1 "${host.name}"\n[1] "${host.leaf}"[${host.port}]`),
    "",
  ].join("\n\n");
}

/** A host as its own port tells. */
interface HostPort {
  readonly node: string;
  readonly lid: Lid;
  readonly gid: Gid;
}

(ibsimMissing === "" ? describe : describe.skip)(title, () => {
  let ibsim: Ibsim;

  beforeAll(async () => {
    ibsim = await Ibsim.start(net(), "H1");
    writeFileSync(join(ibsim.dir, "addr.cfg"), "self ibsim0 1 default\n");
    writeFileSync(join(ibsim.dir, "opts.cfg"), "log_level 0\n");
    // ibsim's stand-in for libibumad serves one agent of a process; notices need a second.
    writeFileSync(join(ibsim.dir, "verbena.yaml"), "sa:\n  notices: false\n");
  });

  afterAll(() => ibsim.stop());

  async function withDaemon<T>(node: string, use: (client: AcmClient) => Promise<T>): Promise<T> {
    const socketPath = join(ibsim.dir, `${node}.sock`);
    const args = [
      PROGRAM,
      "serve",
      "--config",
      join(ibsim.dir, "verbena.yaml"),
      "-A",
      join(ibsim.dir, "addr.cfg"),
      "-O",
      join(ibsim.dir, "opts.cfg"),
      "--socket",
      socketPath,
    ];
    const daemon: ChildProcess = spawn(process.execPath, args, {
      env: { ...process.env, ...ibsim.environment(node) },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(daemon, "exit");
    try {
      await printed(daemon, "ready");
      await using client = await AcmClient.connect({ socketPath });
      return await use(client);
    } finally {
      daemon.kill();
      expect(await ended).toEqual([0, null]);
    }
  }

  /** LID and GID of each host, asked of its own port. */
  async function hostPort(node: string): Promise<HostPort> {
    const { stdout } = await run("ibstat", ["ibsim0", "1"], ibsim.environment(node));
    const [, lid] = /Base lid: (\d+)/.exec(stdout) ?? [];
    const [, guid] = /Port GUID: (0x[0-9a-f]+)/.exec(stdout) ?? [];
    return { node, lid: Lid.parse(lid ?? ""), gid: Gid.of(Gid.linkLocalPrefix, BigInt(guid ?? "0")) };
  }

  async function saqueryRecord(node: string, slid: Lid, dlid: Lid): Promise<Readonly<Record<string, string>>> {
    const { stdout } = await run("saquery", ["--src-to-dst", `${slid}:${dlid}`], ibsim.environment(node));
    const [record] = records(stdout);
    return record ?? {};
  }

  test("every pair, by LID and by GID, as saquery prints it", async () => {
    const hosts: HostPort[] = [];
    for (let n = 1; n <= HOSTS; n += 1) hosts.push(await hostPort(`H${n}`));
    let compared = 0;
    for (const source of hosts) {
      await withDaemon(source.node, async (client) => {
        for (const destination of hosts) {
          const byLid = await client.resolvePath({ dlid: destination.lid });
          const byGid = await client.resolvePath({ dgid: destination.gid });
          const expected = await saqueryRecord(source.node, source.lid, destination.lid);
          expect(asPrinted(byLid.path)).toEqual(expected);
          expect(asPrinted(byGid.path)).toEqual(expected);
          compared += 1;
        }
      });
    }
    expect(compared).toBe(HOSTS * HOSTS);
  });
});

/** A path record with the names and the forms of `saquery`. */
function asPrinted(path: PathRecord): Readonly<Record<string, string>> {
  const hex = (value: number | bigint, digits = 0): string =>
    `0x${value.toString(16).toUpperCase().padStart(digits, "0")}`;
  const selected = (selector: number, code: number): string => hex((selector << 6) | code);
  return {
    service_id: `0x${path.serviceId.toString(16).padStart(16, "0")}`,
    dgid: Gid.format(path.dgid),
    sgid: Gid.format(path.sgid),
    dlid: String(path.dlid),
    slid: String(path.slid),
    hop_flow_raw: hex(((path.rawTraffic ? 1 : 0) << 31) | (path.flowLabel << 8) | path.hopLimit),
    tclass: hex(path.tclass),
    num_path_revers: hex((path.reversible ? 0x80 : 0) | path.numbPath),
    pkey: hex(path.pkey),
    qos_class: hex(path.qosClass),
    sl: hex(path.sl),
    mtu: selected(path.mtuSelector, path.mtu),
    rate: selected(path.rateSelector, path.rate),
    pkt_life: selected(path.packetLifeTimeSelector, path.packetLifeTime),
    preference: hex(path.preference),
    resv2: "0x000000000000",
  };
}
