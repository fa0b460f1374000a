import { cpus, loadavg, release, totalmem } from "node:os";

/** One line on what the figures were measured with, and on how busy the machine was besides. Call it before measuring. */
export function describeMachine() {
  const [first] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  // The version alone: what follows it names somebody's build.
  const kernel = /^[\d.]+/.exec(release())?.[0] ?? release();
  return `${cpus().length} × ${first?.model.trim() ?? "unknown CPU"}, ${gib} GiB, Linux ${kernel}, Node ${process.versions.node}, load ${loadavg()[0].toFixed(1)} before`;
}
