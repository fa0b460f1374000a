import { type Check, finding, skipped } from "../check.js";

/** The daemon's second door: what `verbena`'s own commands use. */
export const controlSocket: Check = {
  id: "control-socket",
  group: "service",
  title: "control socket",
  async run(probe) {
    const [client, seen] = await Promise.all([probe.clientSocket(), probe.controlSocket()]);
    const { path: subject } = seen;
    if (seen.state === "listening") return [finding("ok", "answers", { subject })];
    if (seen.state === "denied") {
      const remedy = "run this as root, or join the group the file belongs to";
      return [finding("warn", `permission denied (mode ${seen.mode ?? "unknown"})`, { subject, remedy })];
    }
    if (client.state !== "listening") return skipped("no daemon");
    if (client.pid === 1) return skipped("the daemon has not been started yet");
    const remedy =
      "if verbena should serve here, stop the other daemon and start it; its control socket is set by --control or daemon.control";
    const seenText = `none: \`cache\`, \`explain\` and parts of \`stats\` are not offered by ${client.command ?? "this daemon"}`;
    return [finding("warn", seenText, { subject, remedy })];
  },
};
