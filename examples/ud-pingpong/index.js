// Datagrams to and fro between two queue pairs of one device:
//   node index.js [DEVICE] [--iterations N] [--size BYTES]
// On a simulated fabric: verbena sim exec --dir DIR --node H1 -- node index.js
import { parseArgs } from "node:util";
import { openNative } from "@verbena/native";
import { pingPong } from "./pingpong.js";

/** @type {(native: import("@verbena/native").Native) => string} */
function whyNone(native) {
  const { verbs } = native.availability();
  return verbs.available ? "this host has no RDMA device" : `no RDMA device: ${verbs.reason}\n${verbs.hint}`;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      iterations: { type: "string", default: "1000" },
      size: { type: "string", default: "1024" },
    },
  });
  const native = openNative();
  try {
    const device = positionals[0] ?? native.verbs.devices()[0]?.name;
    if (device === undefined) throw new Error(whyNone(native));
    const context = native.verbs.open(device);
    const iterations = Number(values.iterations);
    const { bytes, seconds } = await pingPong(context, iterations, Number(values.size));
    const [rate, each] = [(bytes * 8) / seconds / 1e6, (seconds * 1e6) / iterations];
    console.log(`${bytes} bytes in ${seconds.toFixed(2)} seconds = ${rate.toFixed(2)} Mbit/sec`);
    console.log(`${iterations} iters in ${seconds.toFixed(2)} seconds = ${each.toFixed(2)} usec/iter`);
  } finally {
    // Closes the context and everything that was made of it.
    await native.close();
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
