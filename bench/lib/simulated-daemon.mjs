import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
/** The program, as built. */
export const verbena = join(import.meta.dirname, "../../packages/cli/bin/verbena.js");

/** Starts a `verbena` command and waits for the line that begins with `ready`. */
async function start(args, env = {}) {
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [verbena, ...args], { stdio, env: { ...process.env, ...env } });
  let output = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve, reject) => {
    const look = (piece) => {
      output += piece;
      if (/^ready/m.test(output)) resolve();
    };
    child.stdout.on("data", look);
    child.stderr.on("data", (piece) => {
      output += piece;
    });
    child.once("exit", (code) => reject(new Error(`verbena ${args.join(" ")} ended with ${code}\n${output}`)));
  });
  return {
    pid: child.pid,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** A fabric of `hosts` hosts, `H1` … with NodeDescription `node1` …, in a process of its own. */
export async function startFabric(dir, hosts) {
  const { fatTree, formatTopology } = require("@verbena/fabric-sim");
  const leafs = Math.ceil(hosts / 100);
  const topology = join(dir, "fabric.net");
  writeFileSync(topology, formatTopology(fatTree({ hosts, leafs, spines: leafs > 1 ? 2 : 0 })));
  writeFileSync(join(dir, "ibacm_addr.cfg"), "bench-source sim0 1 default\n");
  writeFileSync(join(dir, "ibacm_opts.cfg"), `log_file stderr\nlock_file ${join(dir, "lock")}\n`);
  return start(["sim", "run", topology, "--dir", join(dir, "fabric")]);
}

/** How `verbena` is started as the daemon on host `H1` of the fabric, and the socket it serves. */
export function daemonCommand(dir, optionFile = "ibacm_opts.cfg") {
  const socket = join(dir, "acm.sock");
  const files = ["-A", join(dir, "ibacm_addr.cfg"), "-O", join(dir, optionFile)];
  return { args: ["serve", "--socket", socket, "--fabric", join(dir, "fabric"), "--node", "H1", ...files], socket };
}

/** The daemon on host `H1` of the fabric; `options`: lines of its option file instead of the usual ones, `env`: variables beside ours. */
export function startDaemon(dir, { options, env } = {}) {
  if (options !== undefined) writeFileSync(join(dir, "ibacm_own.cfg"), `${options.join("\n")}\n`);
  return startServe(daemonCommand(dir, options === undefined ? undefined : "ibacm_own.cfg"), env);
}

/** A second one, that serves its clients with epoll. */
export function startEpollDaemon(dir) {
  const socket = join(dir, "epoll.sock");
  const config = join(dir, "epoll.yaml");
  writeFileSync(config, "daemon: { clientIo: epoll, logFile: stderr }\n");
  const files = ["-A", join(dir, "ibacm_addr.cfg"), "--config", config];
  return startServe({
    args: ["serve", "--socket", socket, "--fabric", join(dir, "fabric"), "--node", "H1", ...files],
    socket,
  });
}

async function startServe({ args, socket }, env) {
  const daemon = await start(args, env);
  const rssKiB = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1]);
  return { ...daemon, socket, rssKiB };
}
