import type { ProcessSeen } from "../probe.js";
import type { HostFiles } from "./files.js";

/** A process by its `/proc/PID`; `undefined` when it is gone or not ours to see. */
export async function lookAtProcess(files: HostFiles, pid: number | "self"): Promise<ProcessSeen | undefined> {
  const at = (file: string): Promise<string | undefined> => files.read(`/proc/${String(pid)}/${file}`);
  const [status, limits, command] = await Promise.all([at("status"), at("limits"), at("comm")]);
  if (status === undefined || limits === undefined) return undefined;
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1] ?? "0";
  return {
    pid: Number(field("Pid")),
    command: command ?? "unknown",
    uid: Number(field("Uid")),
    capabilities: BigInt(`0x${field("CapEff")}`),
    memlock: softLimit(limits, "Max locked memory"),
    openFiles: softLimit(limits, "Max open files"),
  };
}

function softLimit(limits: string, name: string): number | "unlimited" {
  const text = new RegExp(`^${name}\\s+(\\S+)`, "m").exec(limits)?.[1] ?? "0";
  return text === "unlimited" ? text : Number(text);
}

/** Processes whose command name (`/proc/PID/comm`) is this. */
export async function processesNamed(files: HostFiles, command: string): Promise<readonly number[]> {
  const pids = ((await files.list("/proc")) ?? []).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    pids.map(async (pid) => ((await files.read(`/proc/${pid}/comm`)) === command ? pid : "")),
  );
  return named.filter((pid) => pid !== "").map(Number);
}
