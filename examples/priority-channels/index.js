// Completion channels in three classes of priority, read through one group:
//   node index.js [DEVICE] [--batches N] [--lower-share N]
//   node index.js --simulate      on a simulated fabric of its own
import { openNative } from "@verbena/native";
import { readArguments } from "./arguments.js";
import { readByPriority } from "./priorities.js";
import { startFabric } from "./simulated.js";

/** @type {(list: readonly number[], part: number) => number} */
const percentile = (list, part) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * part)] ?? 0;

/** @param {import("./priorities.js").Report} report */
function print({ classes, waits, delaysUs }) {
  const all = classes.reduce((sum, { batches }) => sum + batches, 0);
  console.log("class   queues  completions  batches   share");
  for (const { name, queues, completions, batches } of classes) {
    const share = `${((batches / all) * 100).toFixed(1)} %`;
    const cells = [String(queues).padStart(6), String(completions).padStart(11), String(batches).padStart(7)];
    console.log([name.padEnd(6), ...cells, share.padStart(6)].join("  "));
  }
  const most = waits.length === 0 ? 0 : Math.max(...waits);
  console.log(`${waits.length} urgent completions waited for ${most} batch of others at most`);
  const [median, p99] = [percentile(delaysUs, 0.5), percentile(delaysUs, 0.99)].map((us) => us.toFixed(0));
  console.log(`from post to completion in hand: median ${median} usec, p99 ${p99} usec`);
}

/** @type {(native: import("@verbena/native").Native) => string} */
function whyNone(native) {
  const { verbs } = native.availability();
  return verbs.available ? "this host has no RDMA device" : `no RDMA device: ${verbs.reason}\n${verbs.hint}`;
}

/** @param {import("./arguments.js").Arguments} options */
async function main(options) {
  const fabric = options.simulate ? await startFabric() : undefined;
  const native = openNative(fabric?.options);
  try {
    const device = options.device ?? native.verbs.devices()[0]?.name;
    if (device === undefined) throw new Error(`${whyNone(native)}\n--simulate makes one`);
    print(await readByPriority(native, native.verbs.open(device), options));
  } finally {
    // Closes the context and everything that was made of it.
    await native.close();
    await fabric?.close();
  }
}

try {
  await main(readArguments(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
