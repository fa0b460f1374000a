// A thread that posts datagrams with the time in them to queue pairs of other threads of this process: each `intervalMs` to the next `burst` of
// them, `bursts` times. Starts at the message { qpns }; says how much of the processor it took, and ends.
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { nowUs, QKEY } from "./stamped.mjs";
import { threadTimeUs } from "./thread-time.mjs";

const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");

const { options, intervalMs, burst, bursts } = workerData;
const native = openNative(options);
const context = native.verbs.open("sim0");
const pd = await context.createProtectionDomain();
const cq = await context.createCompletionQueue({ depth: 256 });
const pair = await pd.createQueuePair({ type: "ud", sendCq: cq, maxSendWr: 128, maxRecvWr: 1 });
await pair.toInit({ qkey: QKEY });
await pair.toRtr();
await pair.toRts();
const ah = await pd.createAddressHandle({ port: 1, dlid: context.queryPort(1).lid });
const region = await pd.allocate(8);
const time = new Float64Array(region.bytes.buffer, region.bytes.byteOffset, 1);
const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort.once("message", async ({ qpns }) => {
  const sends = qpns.map((qpn) => pair.prepareSend([{ data: { region }, to: { ah, qpn, qkey: QKEY } }]));
  let next = 0;
  for (let i = 0; i < bursts; i++) {
    Atomics.wait(pause, 0, 0, intervalMs);
    for (let j = 0; j < burst; j++) {
      time[0] = nowUs();
      sends[next++ % sends.length].post();
    }
    while (cq.poll().length > 0);
  }
  const cpuUs = threadTimeUs();
  await native.close();
  parentPort.postMessage({ cpuUs });
});
parentPort.postMessage("ready");
