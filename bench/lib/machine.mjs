import { cpus, release, totalmem } from "node:os";

/** One line on what the figures were measured with. */
export function describeMachine() {
  const [first] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${first?.model.trim() ?? "unknown CPU"}, ${gib} GiB, Linux ${release()}, Node ${process.versions.node}`;
}
