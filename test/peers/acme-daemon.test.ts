/**
 * Debian's `ib_acme`, unmodified, against `verbena serve` on the simulated fabric: every address format and option, the values
 * checked against the fabric. Our own face is asked the same and must say the same.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningFabric, SimControlClient, startFabric, twoLevel } from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import { runAcme } from "verbena";
import { shownPaths } from "./acme-output.js";
import { missing, type Run, run, runOnNode } from "./sim-programs.js";

const VERBENA = join(__dirname, "../../packages/cli/bin/verbena.js");
const HOSTS = 6;
const TIMEOUT_MS = 120_000;

const reason = missing("ib_acme");
const suite = reason === undefined ? describe : describe.skip;

/** A path as `ib_acme` prints it. */
type Shown = Readonly<Record<string, string>>;

suite(`ib_acme and verbena serve${reason === undefined ? "" : ` (${reason})`}`, () => {
  const dir = mkdtempSync(join(tmpdir(), "acme-daemon-"));
  const socket = join(dir, "s");
  const fabricDir = join(dir, "fabric");
  const lids = new Map<string, number>();
  const gids = new Map<string, string>();
  let fabric: RunningFabric;
  let daemon: ChildProcess;

  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  /** `ib_acme` with these words; ours must print the same and end alike. */
  async function acme(line: string): Promise<Run> {
    const args = ["-S", socket, ...line.split(" ")];
    const theirs = await run("ib_acme", args, {});
    if (!args.includes("-P")) {
      let stdout = "";
      const io = {
        out: (text: string) => {
          stdout += text;
        },
        err: () => undefined,
      };
      const status = await runAcme(args, io);
      expect({ stdout, status }).toEqual({ stdout: theirs.stdout, status: theirs.status });
    }
    return theirs;
  }

  /** The paths of a run, one for each destination: their fields, the destination, the sources and what the SA said. */
  function paths(run: Run): readonly Shown[] {
    return shownPaths(run).map(({ fields, destination, sources, verification = "" }) => ({
      ...fields,
      ...{ destination, sources: sources.join(" "), verification },
    }));
  }

  function expectPathTo(shown: Shown | undefined, host: string): void {
    expect(shown).toMatchObject({
      dgid: gids.get(host),
      sgid: gids.get("H1"),
      dlid: String(lids.get(host)),
      slid: String(lids.get("H1")),
      reversible: "1",
      pkey: "0xffff",
      mtu: "5",
      rate: "16",
    });
  }

  beforeAll(async () => {
    const addressesFile = file("simulated-addresses", "H1 192.0.2.1/24\nH1 2001:db8::1/64\n");
    fabric = await startFabric({ topology: twoLevel({ hosts: HOSTS }), dir: fabricDir, addressesFile });
    await using control = await SimControlClient.connect(fabricDir);
    for (const { id, ports } of (await control.request({ op: "status" })).nodes) {
      const [port] = ports;
      if (port === undefined) continue;
      lids.set(id, port.lid);
      gids.set(id, Gid.format(Gid.of(Gid.linkLocalPrefix, BigInt(port.guid))));
    }
    const hosts = Array.from({ length: HOSTS - 1 }, (_, n) => n + 2).flatMap((n) =>
      [`192.0.2.${n}`, `2001:db8::${n}`, `H${n}`].map((address) => `${address} ${gids.get(`H${n}`) ?? ""}\n`),
    );
    const options = file(
      "options",
      [
        "support_ips_in_addr_cfg 1",
        "addr_preload acm_hosts",
        `addr_data_file ${file("hosts", hosts.join(""))}`,
        `lock_file ${join(dir, "lock")}`,
        `log_file ${join(dir, "log")}`,
        "",
      ].join("\n"),
    );
    const names = ["H1", "192.0.2.1", "2001:db8::1"].map((name) => `${name} sim0 1 default\n`).join("");
    const words = ["serve", "--socket", socket, "--fabric", fabricDir, "--node", "H1", "-O", options];
    daemon = spawn(process.execPath, [VERBENA, ...words, "-A", file("addresses", names)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [first] = (await once(daemon.stdout ?? daemon, "data")) as [Buffer];
    if (!first.toString().startsWith("ready")) throw new Error(`verbena serve said: ${first.toString()}`);
  }, TIMEOUT_MS);
  afterAll(async () => {
    daemon.kill("SIGTERM");
    if (daemon.exitCode === null) await once(daemon, "exit");
    await fabric.close();
    rmSync(dir, { recursive: true, force: true });
  }, TIMEOUT_MS);

  it.each([
    ["by name", "-f n -s H1 -d H2", "H2"],
    ["by the name in the node's description", "-f n -s H1 -d node3", "H3"],
    ["by IPv4", "-f i -s 192.0.2.1 -d 192.0.2.4", "H4"],
    ["by IPv6", "-f i -s 2001:db8::1 -d 2001:db8::5", "H5"],
    ["by name from an IPv4 source, looked at", "-d 192.0.2.6 -s 192.0.2.1", "H6"],
  ])("%s: %s", async (_, line, host) => {
    const result = await acme(line);
    expect(result.status).toBe(0);
    expectPathTo(paths(result)[0], host);
  });

  it("by LID and by GID, with and without the source's", async () => {
    for (const host of ["H2", "H6"]) {
      const [lid, gid] = [String(lids.get(host)), gids.get(host) ?? ""];
      for (const line of [
        `-f l -d ${lid}`,
        `-f l -s ${String(lids.get("H1"))} -d ${lid}`,
        `-f g -d ${gid}`,
        `-f g -s ${gids.get("H1") ?? ""} -d ${gid}`,
      ]) {
        expectPathTo(paths(await acme(line))[0], host);
      }
    }
  });

  it("-c: no data for what is not cached, the answer once it is", async () => {
    // A LID of a switch: nobody else in this file asks for it.
    const lid = [...lids].find(([id]) => id.startsWith("L"))?.[1] ?? 0;
    expect((await run("ib_acme", ["-S", socket, "-c", "-f", "l", "-d", String(lid)], {})).stdout).toContain(
      "ib_acm_resolve_path failed: No data available",
    );
    expect((await acme(`-f l -d ${lid}`)).status).toBe(0);
    expect(paths(await acme(`-c -f l -d ${lid}`))[0]).toMatchObject({ dlid: String(lid) });
  });

  it("-v: the SA confirms", async () => {
    for (const line of ["-v -f n -s H1 -d H3", `-v -f l -d ${lids.get("H3")}`, "-v -f i -s 192.0.2.1 -d 192.0.2.3"]) {
      const [path] = paths(await acme(line));
      expectPathTo(path, "H3");
      expect(path).toMatchObject({ verification: "success" });
    }
  });

  it("neither -s nor -f: the source is chosen and shown", async () => {
    for (const [destination, source] of [
      ["192.0.2.2", "192.0.2.1"],
      ["2001:db8::2", "2001:db8::1"],
    ]) {
      const [path] = paths(await acme(`-v -d ${destination ?? ""}`));
      expectPathTo(path, "H2");
      expect(path).toMatchObject({ sources: source, verification: "success" });
    }
  });

  it("lists, and -C 1000", async () => {
    const listed = paths(await acme("-f n -s H1 -d H[2-3,5]"));
    expect(listed.map(({ destination }) => destination)).toEqual(["H2", "H3", "H5"]);
    for (const path of listed) expectPathTo(path, path["destination"] ?? "");
    const many = await acme("-C 1000 -f n -s H1 -d H2");
    expect(many.status).toBe(0);
    expectPathTo(paths(many)[0], "H2");
  });

  it("-e: the endpoint and its addresses", async () => {
    const { stdout, status } = await acme("-e");
    expect(status).toBe(0);
    const [header, endpoint, last] = stdout.split("\n");
    expect(header).toBe("svc,guid,port,pkey,ep_index,prov,addr_0,addresses");
    expect(endpoint).toMatch(new RegExp(`^${socket},0x[0-9a-f]{16},1,0xffff,1,[a-z]+,.*H1`));
    expect(endpoint?.split(",")).toEqual(expect.arrayContaining(["H1", "192.0.2.1/24", "2001:db8::1/64"]));
    expect(last).toBe("return status 0x0");
    expect((await acme("-e 2")).stdout).toBe(" Endpoint 2 is not available\nreturn status 0x0\n");
  });

  it("-P: all its forms", async () => {
    const counters = async (line: string): Promise<readonly number[]> => {
      const { stdout, status } = await acme(line);
      expect(status).toBe(0);
      return (stdout.split("\n")[1] ?? "").split(",").slice(1).map(Number);
    };
    const before = await counters("-P");
    await run("ib_acme", ["-S", socket, "-f", "n", "-s", "H1", "-d", "H2"], {});
    await run("ib_acme", ["-S", socket, "-f", "n", "-s", "nobody", "-d", "H2"], {});
    const after = await counters("-P");
    const grown = after.map((value, n) => value - (before[n] ?? 0));
    expect(grown).toEqual([1, 2, 0, 0, 0, 0, 1]); // one refused, one from the cache
    const ofOne = await counters("-P 1");
    expect(ofOne).toHaveLength(7);
    expect(await counters("-P all")).toEqual(ofOne);
    expect(await counters("-P s -s 192.0.2.1")).toEqual(ofOne);
    expect(await counters("-P s -f n -s h1")).toEqual(ofOne);
    expect((await acme("-P 2")).stdout).toContain("Failed to query perf data: Cannot assign requested address");
    const column = (await acme("-P col")).stdout.split("\n");
    expect(column.slice(0, 3)).toEqual([socket, `Error Count : ${after[0]}`, `Resolve Count : ${after[1]}`]);
  });

  it("failures: an unknown source at once, an unknown destination in time", async () => {
    const begin = performance.now();
    const foreign = await acme("-f i -s 198.51.100.1 -d 192.0.2.2");
    expect(foreign.stdout).toContain("ib_acm_resolve_ip failed: Cannot assign requested address");
    expect(foreign.status).toBe(255);
    expect(performance.now() - begin).toBeLessThan(5_000);
    const unknown = await acme("-f n -s H1 -d nosuchnode");
    expect(unknown.stdout).toMatch(/ib_acm_resolve_name failed: (No data available|Connection timed out)/);
  });

  it("-A -O: both programs write the same active lines on a simulated node", async () => {
    const active = (folder: string, name: string): readonly string[] =>
      readFileSync(join(dir, folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"));
    await runOnNode(fabricDir, "H2", "ib_acme", "-A", "-O", "-D", join(dir, "theirs"));
    const ours = ["acme", "-A", "-O", "-V", "-D", join(dir, "ours")];
    const { stdout, status } = await runOnNode(fabricDir, "H2", process.execPath, VERBENA, ...ours);
    expect(status).toBe(0);
    expect(readdirSync(join(dir, "ours")).sort()).toEqual(["ibacm_addr.cfg", "ibacm_opts.cfg"]);
    for (const name of ["ibacm_addr.cfg", "ibacm_opts.cfg"]) {
      expect(active("ours", name)).toEqual(active("theirs", name));
    }
    const verbose = await runOnNode(fabricDir, "H2", "ib_acme", "-A", "-O", "-V", "-D", join(dir, "theirs"));
    expect(stdout.replaceAll("/ours/", "/theirs/")).toBe(verbose.stdout);
  });
});
