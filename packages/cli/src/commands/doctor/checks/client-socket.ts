import { type Check, type Finding, finding } from "../check.js";
import type { SocketSeen } from "../probe.js";

/** Who listens where clients connect. */
export const clientSocket: Check = {
  id: "client-socket",
  group: "service",
  title: "client socket",
  async run(probe) {
    const [seen, daemon] = await Promise.all([probe.clientSocket(), probe.daemon()]);
    const start =
      probe.fabric === undefined
        ? "start the daemon: `systemctl start ibacm`, or `verbena serve -D`"
        : `start a daemon: \`verbena serve -D --fabric ${probe.fabric.dir} --node ${probe.fabric.node} --socket ${seen.path}\``;
    return [describe(seen, daemon !== undefined, start)];
  },
};

function describe(seen: SocketSeen, isVerbena: boolean, start: string): Finding {
  const { path: subject, state, mode } = seen;
  switch (state) {
    case "absent":
      return finding("warn", "nobody listens: there is no such file", { subject, remedy: start });
    case "stale":
      return finding("warn", "nobody listens: the file was left behind", { subject, remedy: start });
    case "not-a-socket":
      return finding("fail", "is no socket", { subject, remedy: `move it away: \`mv ${subject} ${subject}.old\`` });
    case "denied": {
      const remedy = `let every user connect: \`chmod 0777 ${subject}\` and x on its folders`;
      return finding("fail", `permission denied (mode ${mode ?? "unknown"})`, { subject, remedy });
    }
    case "problem":
      return finding("fail", seen.reason ?? "cannot be used", { subject, remedy: start });
    case "listening":
      return listening(seen, isVerbena);
    default:
      return state satisfies never;
  }
}

function listening({ path: subject, pid, command, mode }: SocketSeen, isVerbena: boolean): Finding {
  const what = isVerbena
    ? "verbena"
    : pid === 1
      ? "systemd, for a daemon that starts on demand"
      : (command ?? "somebody");
  const by = pid === undefined || pid === 1 ? what : `${what} (process ${String(pid)})`;
  if (mode !== undefined && mode !== "0777") {
    const remedy = `let every user connect, as ibacm does: \`chmod 0777 ${subject}\``;
    return finding("warn", `${by} listens, mode ${mode}: some users cannot connect`, { subject, remedy });
  }
  return finding("ok", `${by} listens`, { subject });
}
