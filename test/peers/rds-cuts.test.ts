import type { RdsSocket } from "@verbena/rds";
import { network, TcpNode } from "../../packages/rds/test/tcp/rig.js";
import { seeded } from "./seeded.js";
import { missing, run } from "./sim-programs.js";

const MESSAGES = 20_000;
const CUTS = 40;
const reason = missing("ss") ?? (process.getuid?.() === 0 ? undefined : "only root may destroy sockets");
const suite = reason === undefined ? describe : describe.skip;

/** Sends numbered messages of all sizes; gives what the other socket got. */
async function flow(from: RdsSocket, to: RdsSocket, seed: number, progress: () => Promise<void>): Promise<number[]> {
  const random = seeded(seed);
  const { address, port } = to.localAddress ?? { address: "", port: 0 };
  const send = async (): Promise<void> => {
    for (let i = 0; i < MESSAGES; i++) {
      const body = Buffer.alloc(4 + Math.floor(random() ** 6 * 50_000));
      body.writeUInt32BE(i, 0);
      await from.send(body, { to: { address, port } });
    }
  };
  const got: number[] = [];
  const receive = async (): Promise<void> => {
    while (got.length < MESSAGES) {
      const item = await to.receive();
      if (item.type === "message") got.push(item.data.readUInt32BE(0));
      await progress();
    }
  };
  await Promise.all([send(), receive()]);
  return got;
}

suite(`RDS over TCP whose sockets the kernel destroys${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  test("every message arrives once and in order, both ways", async () => {
    const at = network();
    await using a = new TcpNode(at(2));
    await using b = new TcpNode(at(9));
    const nodes = [a, b];
    const [here, there] = await Promise.all([a.socket(4000), b.socket(4000)]);
    const random = seeded(7);
    let received = 0;
    let cuts = 0;
    // One end's socket is destroyed: it ends with an error there, and by a reset at its peer.
    const progress = async (): Promise<void> => {
      received += 1;
      if (cuts >= CUTS || received < ((cuts + 1) * 2 * MESSAGES) / (CUTS + 2)) return;
      cuts += 1;
      const [victim, other] = random() < 0.5 ? nodes : [...nodes].reverse();
      await run("ss", ["-K", "-t", "src", victim?.address ?? "", "dst", other?.address ?? ""], {});
    };
    const expected = Array.from({ length: MESSAGES }, (_, i) => i);
    const [forth, back] = await Promise.all([flow(here, there, 1, progress), flow(there, here, 2, progress)]);
    expect(forth).toEqual(expected);
    expect(back).toEqual(expected);
    expect(a.counter("conn_reset")).toBeGreaterThanOrEqual(CUTS / 2);
  });
});
