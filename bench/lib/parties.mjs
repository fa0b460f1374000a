// Servers of the client protocol that bench/daemon.mjs measures in turns: ours, Debian's ibacm, and one that only answers.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";

const require = createRequire(import.meta.url);
const IBACM = "/usr/sbin/ibacm";
/** ibacm's socket has a fixed path in /run, so it gets a /run of its own. */
const OWN_RUN = 'mount -t tmpfs tmpfs /run && exec "$@"';
const READY_MS = 10_000;

/** All threads of a process on one processor. */
export function pin(pid, cpu) {
  execFileSync("taskset", ["-a", "-p", "-c", String(cpu), String(pid)], { stdio: "ignore" });
}

/** Sends `request` (bytes) and gives the one reply. */
export function askOnce(socket, request) {
  return new Promise((resolve, reject) => {
    const client = connect(socket, () => client.write(request));
    client.once("data", (reply) => {
      client.destroy();
      resolve(reply);
    });
    client.once("error", reject);
  });
}

/** Why ibacm cannot run here, or `undefined`. */
export function missingIbacm() {
  if (!existsSync(IBACM)) return "ibacm is not installed (scripts/bootstrap --peers)";
  const { status } = spawnSync("unshare", ["--mount", "sh", "-c", OWN_RUN, "sh", "true"]);
  return status === 0 ? undefined : "a mount namespace of its own needs root";
}

/** The unmodified ibacm on host `node` of the fabric, with names from a hosts file and paths from the SA. */
export function startIbacm(dir, node, hosts) {
  return party(...spawnIbacm(dir, node, hosts));
}

/** The same with these lines in its option file. */
export function startIbacmWith(dir, node, options) {
  return party(...spawnIbacmWith(dir, node, options));
}

/** As {@link startIbacm}, not waited for: the process and its socket. */
export function spawnIbacm(dir, node, hosts) {
  writeFileSync(join(dir, "hosts"), hosts);
  return spawnIbacmWith(dir, node, ["addr_preload acm_hosts", `addr_data_file ${join(dir, "hosts")}`]);
}

function spawnIbacmWith(dir, node, options) {
  const { libfabricsimPath } = require("@verbena/fabric-sim");
  const lines = ["log_file /dev/null", `lock_file ${join(dir, "ibacm.lock")}`, ...options];
  writeFileSync(join(dir, "ibacm_theirs.cfg"), `${lines.join("\n")}\n`);
  const files = ["-A", join(dir, "ibacm_addr.cfg"), "-O", join(dir, "ibacm_theirs.cfg")];
  const child = spawn("unshare", ["--mount", "sh", "-c", OWN_RUN, "sh", IBACM, "-P", ...files], {
    env: { ...process.env, FABRICSIM_DIR: join(dir, "fabric"), FABRICSIM_NODE: node, LD_PRELOAD: libfabricsimPath() },
    stdio: "ignore",
  });
  return [child, `/proc/${child.pid}/root/run/ibacm-unix.sock`];
}

/** The server that answers every request with `reply`. */
export async function startAnswerOnly(dir, binary, reply) {
  const socket = join(dir, `${basename(binary)}.sock`);
  const child = spawn(binary, [socket, reply.toString("hex")], { stdio: "ignore" });
  return party(child, socket);
}

async function party(child, socket) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = performance.now() + READY_MS;
  for (;;) {
    const isThere = await new Promise((resolve) => {
      const client = connect(socket);
      client.once("connect", () => resolve(true)).once("error", () => resolve(false));
      client.once("close", () => undefined);
      client.once("connect", () => client.destroy());
    });
    if (isThere) break;
    if (child.exitCode !== null || performance.now() > end) throw new Error(`no server came up at ${socket}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    pid: child.pid,
    socket,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Asks until the answer is a success: ibacm joins its groups first. */
export async function untilAnswered(socket, request) {
  const end = performance.now() + READY_MS;
  for (;;) {
    // Its backlog is short: a connection may be refused.
    const reply = await askOnce(socket, request).catch((error) => error);
    if (reply[2] === 0) return reply;
    if (performance.now() > end) throw new Error(`${reply.message ?? `status ${reply[2]}`} from ${socket}`);
    // Leaves the processor to who is starting.
    await setTimeout(1);
  }
}
