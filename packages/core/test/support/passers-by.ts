import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { ask } from "./engine-bench.js";
import { startFrontRig } from "./front-rig.js";

const AT_ONCE = 50;
const TRACES = ["nothing", "half a request", "a request", "a request, and its answer is waited for"] as const;

/**
 * Clients that connect, ask something, a part of it or nothing, and leave. One who stays is answered after each crowd. Gives what was wrong: an
 * answer of his, clients that are still counted, descriptors that were not given back.
 */
export async function comeAndGo(path: string, count: number, random: () => number): Promise<readonly string[]> {
  const rig = await startFrontRig(path);
  await rig.clock.run(ask(rig, "node1"));
  const stay = async (): Promise<number> => {
    const { path: found } = await rig.client.resolve({ source: "host1", destination: "node1" });
    return found.dlid;
  };
  const problems: string[] = [];
  await stay();
  const before = readdirSync("/proc/self/fd").length;
  for (let come = 0; come < count; come += AT_ONCE) {
    const crowd = Array.from({ length: Math.min(AT_ONCE, count - come) }, () =>
      passBy(path, TRACES[Math.floor(random() * TRACES.length)] ?? "nothing"),
    );
    const lid = await stay();
    if (lid !== 101) problems.push(`the one who stays was told LID ${String(lid)}`);
    await Promise.all(crowd);
  }
  while (rig.server.clientCount > 1) await new Promise((done) => setImmediate(done));
  const after = readdirSync("/proc/self/fd").length;
  if (after > before) problems.push(`${String(after - before)} descriptors were not given back`);
  await rig.close();
  return problems;
}

/** A PERF query: it goes to the engine, and its answer may find nobody. */
const QUERY = Buffer.from("01020000000000100000000000000000", "hex");

function passBy(path: string, trace: (typeof TRACES)[number]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      if (trace === "half a request") socket.write(QUERY.subarray(0, 9));
      else if (trace !== "nothing") socket.write(QUERY);
      if (trace !== "a request, and its answer is waited for") socket.destroy();
    });
    socket.once("data", () => socket.destroy());
    socket.once("close", () => {
      resolve();
    });
    // The server may close first; what else fails is told.
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
  });
}
