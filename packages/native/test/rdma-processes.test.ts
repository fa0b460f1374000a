import { PeerProcess } from "./rdma-processes.js";
import { often, Rig } from "./rig.js";

jest.setTimeout(120_000);

let rig: Rig;
const started: PeerProcess[] = [];
beforeAll(async () => {
  rig = await Rig.start();
});
afterEach(() => Promise.all(started.splice(0).map((peer) => peer.kill())));
afterAll(() => rig.close());

async function start(rounds: number): Promise<PeerProcess> {
  const peer = await PeerProcess.start(rig, rounds);
  started.push(peer);
  return peer;
}

test("several processes on one device: each gets its own completions and events, also when one of them is killed", async () => {
  const ROUNDS = often(300, 20);
  await using bench = await rig.open();
  const channel = await bench.context.createCompletionChannel();
  const cq = await bench.queue({ channel });
  const [a, b] = await bench.pair("rc", cq);
  const peers = [await start(ROUNDS), await start(ROUNDS)];
  const victim = await start(0);
  for (const peer of [...peers, victim]) peer.go();
  await victim.expect("running");
  await victim.kill();
  // This process has traffic too.
  const region = await bench.allocate(64);
  for (let wrId = 0; wrId < ROUNDS; wrId++) {
    b.postReceive([{ wrId, data: region.slice(0, 8) }]);
    expect(await a.send({ wrId, data: region.slice(8, 8) })).toMatchObject({ wrId, status: "success", qpn: a.qpn });
  }
  const received: number[] = [];
  for await (const batch of cq.completions()) {
    for (const completion of batch) received.push(completion.wrId);
    if (received.length === ROUNDS) break;
  }
  expect(received).toEqual(Array.from({ length: ROUNDS }, (_, i) => i));
  const qpns = [a.qpn, b.qpn];
  for (const peer of peers) {
    await peer.expect("running");
    const report = await peer.report();
    expect(report.seen).toEqual(Array.from({ length: 4 }, () => Array.from({ length: ROUNDS }, (_, i) => i)));
    expect(report.strangers).toBe(0);
    // One for each time that a queue was armed.
    expect(report.events).toBe(4 * ROUNDS);
    qpns.push(...report.qpns);
  }
  // The device's numbers are given to one process each.
  expect(new Set(qpns).size).toBe(qpns.length);
});
