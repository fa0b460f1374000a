import type { EndpointJson, SaPortJson } from "@verbena/core/client";
import { type Check, type Finding, finding, skipped } from "../check.js";
import type { DaemonSeen } from "../probe.js";

/** What a running daemon says of itself: its endpoints, its ways to the SA, warnings of its configuration. */
export const daemon: Check = {
  id: "daemon",
  group: "service",
  title: "running daemon",
  async run(probe) {
    const seen = await probe.daemon();
    return seen === undefined ? skipped("no verbena daemon answers") : describe(seen);
  },
};

function describe({ status, endpoints, sa }: DaemonSeen): readonly Finding[] {
  const { version, pid, state, providers, warnings } = status;
  const about = `verbena ${version}, process ${String(pid)}, ${state}; providers: ${providers.join(", ") || "none"}`;
  const none = finding("fail", "no endpoint: no active port has a name or address", {
    remedy: "see the checks of ports and addresses above, then `verbena endpoints`",
  });
  return [
    finding("ok", about),
    ...rdsSockets(status.rds),
    ...(endpoints.length === 0 ? [none] : endpoints.map(endpoint)),
    ...sa.flatMap(silentSa),
    ...warnings.map((text) => finding("warn", text, { remedy: "correct the file and run `systemctl reload ibacm`" })),
  ];
}

function endpoint({ key, state, addresses }: EndpointJson): Finding {
  const seen = `${state}, ${addresses.join(" ")}`;
  if (state === "ready") return finding("ok", seen, { subject: key });
  const remedy = `see the daemon's log, and \`verbena explain\` with a destination on ${key}`;
  return finding(state === "joining" ? "warn" : "fail", seen, { subject: key, remedy });
}

function rdsSockets(rds: DaemonSeen["status"]["rds"]): readonly Finding[] {
  if (rds === undefined) return [];
  const count = `${String(rds.sockets)} RDS socket${rds.sockets === 1 ? "" : "s"} of other processes`;
  return [finding("ok", count, { subject: rds.path })];
}

function silentSa({ device, port, breaker, retryInMs, timeouts }: SaPortJson): readonly Finding[] {
  if (breaker === "closed") return [];
  const subject = `${device}/${String(port)}`;
  const seen = `the subnet administrator is silent (${String(timeouts)} time-outs), asked again in ${String(Math.ceil(retryInMs / 1000))} s`;
  return [finding("fail", seen, { subject, remedy: "see that the subnet manager runs: `sminfo`" })];
}
