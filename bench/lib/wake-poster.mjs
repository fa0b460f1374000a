// A thread that posts messages with the time in them, at intervals, to a queue pair of another thread of this process.
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");

const { options, count, intervalMs } = workerData;
const native = openNative(options);
const context = native.verbs.open("sim0");
const pd = context.createProtectionDomain();
const cq = context.createCompletionQueue({ depth: 128 });
const pair = pd.createQueuePair({ type: "rc", sendCq: cq });
const region = await pd.allocate(8);
const time = new Float64Array(region.bytes.buffer);
const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort.once("message", (destQpn) => {
  pair.toInit();
  pair.toRtr({ destQpn, address: { port: 1, dlid: context.queryPort(1).lid } });
  pair.toRts();
  const send = pair.prepareSend([{ data: { region } }]);
  for (let i = 0; i < count; i++) {
    Atomics.wait(pause, 0, 0, intervalMs);
    time[0] = Number(process.hrtime.bigint()) / 1000;
    send.post();
    cq.poll();
  }
  native.close();
});
parentPort.postMessage(pair.qpn);
