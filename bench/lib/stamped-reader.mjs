// A thread that reads channels of its own, one for each of `roles`: "urgent" takes the age of each message, "bulk" works for `workUs` on each. Says
// the numbers of its queue pairs; at "stop" the ages.
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { nowUs, openReceiver } from "./stamped.mjs";

const require = createRequire(import.meta.url);
const { openNative } = require("@verbena/native");

const { options, roles, workUs } = workerData;
const native = openNative(options);
const context = native.verbs.open("sim0");
const pd = await context.createProtectionDomain();
const ages = [];
let worked = 0;

async function open(role) {
  const channel = await context.createCompletionChannel();
  const cq = await context.createCompletionQueue({ depth: 64, channel });
  const receiver = await openReceiver(pd, cq);
  void read(role, cq, receiver);
  return receiver.qpn;
}

async function read(role, cq, receiver) {
  for await (const batch of cq.completions()) {
    if (role === "urgent") {
      receiver.take(batch, (age) => ages.push(age));
      continue;
    }
    const end = nowUs() + workUs * receiver.take(batch, () => undefined);
    while (nowUs() < end) worked++;
  }
}

const qpns = {};
for (const role of roles) qpns[role] = await open(role);
parentPort.once("message", async () => {
  await native.close();
  parentPort.postMessage({ ages, worked });
});
parentPort.postMessage(qpns);
