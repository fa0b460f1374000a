/** rdma-core's ping-pong programs, unmodified, between two simulated nodes. */
import { twoLevel } from "@verbena/fabric-sim";
import { PeerFabric } from "./peer-fabric.js";
import { pingPong } from "./ping-pong.js";
import { missing } from "./sim-programs.js";

const TIMEOUT_MS = 180_000;
const ITERATIONS = 1000;

const reason = missing("ibv_ud_pingpong", "ibv_rc_pingpong", "ibv_uc_pingpong", "ibv_srq_pingpong");
const suite = reason === undefined ? describe : describe.skip;

suite(`ping-pong${reason === undefined ? "" : `: ${reason}`}`, () => {
  let fabric: PeerFabric;
  beforeAll(async () => {
    fabric = await PeerFabric.start(twoLevel({ hosts: 8 }));
  }, TIMEOUT_MS);
  afterAll(async () => {
    await fabric.stop();
  });

  it.each(
    ["ibv_ud_pingpong", "ibv_rc_pingpong", "ibv_uc_pingpong", "ibv_srq_pingpong"].flatMap((program) => [
      [program, "-e"],
      [program, ""],
    ]),
  )(
    "%s %s",
    async (program = "", events = "") => {
      const args = [...(events === "" ? [] : [events]), "-n", String(ITERATIONS)];
      for (const { status, stdout, stderr } of await pingPong(fabric, program, args, ["H1", "H8"])) {
        expect([status, stderr]).toEqual([0, ""]);
        // The shared receive queue's program has sixteen queue pairs and counts all their messages.
        expect(Number(/^(\d+) iters/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(ITERATIONS);
      }
    },
    TIMEOUT_MS,
  );
});
