import { basename } from "node:path";
import { type Check, finding, skipped } from "../check.js";

/** The second name of the socket, the one librdmacm looks for. */
export const rendezvous: Check = {
  id: "rendezvous",
  group: "service",
  title: "name for librdmacm",
  async run(probe) {
    const [client, seen] = await Promise.all([probe.clientSocket(), probe.rendezvous()]);
    if (seen === undefined) return skipped("librdmacm does not look where this daemon listens");
    if (client.state !== "listening") return skipped("no daemon");
    const { path: subject, target, wanted } = seen;
    if (target !== undefined && basename(target) === wanted) return [finding("ok", `leads to ${target}`, { subject })];
    const what = target === undefined ? "not there" : `leads to ${target}`;
    const remedy =
      "set `acme_plus_kernel_only no` and restart the daemon, or leave it so that librdmacm does not ask it";
    return [finding("warn", `${what}: programs that use librdmacm do not ask the daemon`, { subject, remedy })];
  },
};
