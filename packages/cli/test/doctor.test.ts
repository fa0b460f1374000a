/** `verbena doctor` on hosts as they are: without RDMA, and on the simulator. The virtual machine's is recorded by test/vm. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { DoctorReport } from "../src/commands/doctor/check.js";
import { type DoctorOptions, doctorCommand } from "../src/commands/doctor/doctor.js";
import { LookProcess } from "../src/commands/doctor/system/look-process.js";
import { Cluster } from "./support/cluster.js";
import { run } from "./support/run.js";

const TIMEOUT_MS = 90_000;
/** The machine of a test may be busy; the checks are not about speed. */
const PATIENT = { timeout: "60000" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "doctor-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A host in a folder: only what is written there exists. */
function host(files: Readonly<Record<string, string>> = {}): string {
  const root = join(folder, "root");
  const all = {
    "proc/self/status": "Name:\tnode\nPid:\t42\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n",
    "proc/self/limits": [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      "Max open files            1024                 1048576              files     ",
      "Max locked memory         8388608              8388608              bytes     ",
    ].join("\n"),
    "proc/self/comm": "node\n",
    "proc/net/netlink": "sk               Eth Pid        Groups   Rmem\n000000007ef41a8e 0   0          00000000 0\n",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A machine without RDMA, whatever is installed on the one this runs on. */
const WITHOUT_RDMA = {
  ...process.env,
  VERBENA_LIBIBVERBS: "/none/libibverbs.so.1",
  VERBENA_LIBIBUMAD: "/none/libibumad.so.3",
};

async function doctor(options: DoctorOptions, env: NodeJS.ProcessEnv = process.env) {
  let out = "";
  const status = await doctorCommand(
    {
      socket: join(folder, "acm.sock"),
      options: join(folder, "opts.cfg"),
      addresses: join(folder, "addr.cfg"),
      ...PATIENT,
      ...options,
    },
    { out: (text) => (out += text), err: () => undefined },
    { root: host(), env, units: () => Promise.resolve({}) },
  );
  return { status, out };
}

/** What differs from run to run and from machine to machine. */
function steady(text: string, names: Readonly<Record<string, string>> = {}): string {
  const replaced = Object.entries({ ...names, [folder]: "DIR" }).reduce(
    (sofar, [from, to]) => sofar.replaceAll(from, to),
    text,
  );
  return replaced
    .replace(/\S+\/(verbena_native\.node|libfabricsim\.so)/g, "PATH/$1")
    .replace(/process \d+/g, "process PID")
    .replace(/in \d+\.\d ms/g, "in N ms")
    .replaceAll((hostname().split(".")[0] ?? "").toLowerCase(), "HOST");
}

function recorded(name: string): string {
  return readFileSync(join(__dirname, "recorded", `doctor-${name}.txt`), "utf8");
}

describe("verbena doctor", () => {
  it(
    "tells the truth on a machine without RDMA",
    async () => {
      const { status, out } = await doctor({}, WITHOUT_RDMA);
      expect(steady(out)).toBe(recorded("bare"));
      expect(status).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    "tells the truth on the simulator, with a daemon",
    async () => {
      await using cluster = await Cluster.start({ hosts: 4, addresses: ["H1 192.0.2.1/24"] });
      await using daemon = await cluster.serve("H1", [], { names: ["node1"] });
      const words = [
        "doctor",
        "--fabric",
        cluster.fabric,
        "--node",
        "H1",
        "--socket",
        daemon.socket,
        "-A",
        cluster.path("H1.names"),
      ];
      const { status, out, err } = await run([...words, "--timeout", PATIENT.timeout]);
      expect(
        steady(out, { [cluster.dir]: "DIR" }).replace(/\d+, enough for \d+ clients/, "N, enough for N clients"),
      ).toBe(recorded("simulator"));
      expect([status, err]).toEqual([0, ""]);
    },
    TIMEOUT_MS,
  );

  it(
    "makes one failed check of a file that is none, and looks at everything else",
    async () => {
      execFileSync("mkfifo", [join(folder, "fifo")]);
      writeFileSync(join(folder, "opts.cfg"), `addr_preload acm_hosts\naddr_data_file ${join(folder, "fifo")}\n`);
      const failedIn = async (options: DoctorOptions) => {
        const { checks } = JSON.parse((await doctor({ ...options, json: true }, WITHOUT_RDMA)).out) as DoctorReport;
        return checks.filter(({ verdict }) => verdict === "fail").map(({ id, findings }) => [id, findings.at(0)?.seen]);
      };
      const healthy = await failedIn({ options: join(folder, "none") });
      const seen = `${join(folder, "fifo")} is a FIFO, not a regular file`;
      const added = async (options: DoctorOptions) =>
        (await failedIn(options)).filter(([id]) => !healthy.some(([known]) => known === id));
      const unread = `cannot be read: ${seen} [VERBENA_FILE_KIND]`;
      expect(await added({ options: join(folder, "fifo") })).toEqual([["options-file", unread]]);
      expect(await added({ config: join(folder, "fifo") })).toEqual([["config-file", unread]]);
      expect(await added({})).toEqual([["hosts-file", seen]]);
    },
    TIMEOUT_MS,
  );

  it(
    "answers in JSON with a name, a verdict and findings for every check",
    async () => {
      writeFileSync(join(folder, "opts.cfg"), "timeout 0\ncolour blue\n");
      const { status, out } = await doctor({ json: true }, WITHOUT_RDMA);
      const report = JSON.parse(out) as DoctorReport;
      expect(status).toBe(1);
      expect(report.verdict).toBe("fail");
      expect(report.checks.find(({ id }) => id === "options-file")).toEqual({
        id: "options-file",
        group: "configuration",
        title: "options file",
        verdict: "fail",
        tookMs: expect.any(Number) as number,
        findings: [
          {
            verdict: "fail",
            subject: join(folder, "opts.cfg:1"),
            seen: expect.stringContaining("timeout") as string,
            remedy: expect.any(String) as string,
          },
          {
            verdict: "warn",
            subject: join(folder, "opts.cfg:2"),
            seen: "unknown key colour; the line is ignored",
            remedy: expect.any(String) as string,
          },
        ],
      });
    },
    TIMEOUT_MS,
  );

  it(
    "sees who listens, and a file that was left behind",
    async () => {
      const path = join(folder, "acm.sock");
      const server = createServer((socket) => socket.end());
      await new Promise<void>((resolve) => server.listen(path, resolve));
      const listening = JSON.parse((await doctor({ json: true }, WITHOUT_RDMA)).out) as DoctorReport;
      expect(listening.checks.find(({ id }) => id === "client-socket")?.findings[0]?.seen).toContain(
        String(process.pid),
      );
      await new Promise((resolve) => server.close(resolve));
      writeFileSync(path, "");
      const plain = JSON.parse((await doctor({ json: true }, WITHOUT_RDMA)).out) as DoctorReport;
      expect(plain.checks.find(({ id }) => id === "client-socket")?.findings[0]?.seen).toBe("is no socket");
    },
    TIMEOUT_MS,
  );

  it(
    "reports libraries that end the process that looks at them",
    async () => {
      const entry = join(folder, "crash.js");
      writeFileSync(entry, 'process.once("message", () => { process.kill(process.pid, "SIGSEGV"); });\n');
      using looking = new LookProcess({ sources: {}, native: {}, patienceMs: 1000 }, process.env, entry);
      await expect(looking.section("devices")).rejects.toThrow("ended (signal SIGSEGV)");
    },
    TIMEOUT_MS,
  );

  it(
    "reports an addon that was not built",
    async () => {
      const { status, out } = await doctor({ json: true }, { ...process.env, VERBENA_NATIVE_DIR: "/none" });
      const [libraries] = (JSON.parse(out) as DoctorReport).checks;
      expect(libraries?.findings).toEqual([
        {
          verdict: "fail",
          subject: "native addon",
          seen: expect.stringContaining("/none/verbena_native.node does not exist") as string,
          remedy: "VERBENA_NATIVE_DIR names a folder without verbena_native.node.",
        },
      ]);
      expect(status).toBe(1);
    },
    TIMEOUT_MS,
  );
});
