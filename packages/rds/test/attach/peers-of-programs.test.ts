import type { IpAddress } from "@verbena/ib";
import { clientFrame, dataFrame } from "../../src/attach/protocol/client-frames.js";
import { RdsAddress } from "../../src/index.js";
import { outcome } from "../conformance/rig.js";
import { HERE, Programs } from "./programs.js";
import { RawProgram } from "./raw-program.js";

const SETTINGS = { sendBufferSize: 100_000, receiveBufferSize: 100_000, timestamps: false, monitors: false };

describe("peers of an address that programs share", () => {
  let programs: Programs;
  afterEach(() => programs.close());
  const remotes = (): readonly IpAddress[] => programs.engine.stack.info("connections").map(({ remote }) => remote);

  /** A program that says by itself what it says. */
  async function raw(port: number): Promise<RawProgram> {
    const local = RdsAddress.parse(`${HERE}:${String(port)}`);
    const program = new RawProgram(programs.links).greet(
      clientFrame.bind(local, { ...SETTINGS, connected: undefined }),
    );
    await programs.engine.settle();
    return program;
  }

  it("are made by what is sent: programs that name more destinations than there may be take no place from each other", async () => {
    programs = new Programs({ maxPeers: 2 });
    const [first, second] = [await raw(4000), await raw(4001)];
    const name = (handle: number): Buffer =>
      clientFrame.destination(handle, RdsAddress.parse(`10.1.0.${String(handle)}:7`));
    first.send(name(1), name(2));
    second.send(name(1), name(3));
    await programs.engine.settle();
    expect(remotes()).toEqual([]);
    expect([first.last?.type, second.last?.type]).toEqual(["bound", "bound"]);
  });

  it("are too many only until one may go: what is held is sent then, and sends go on", async () => {
    programs = new Programs({ maxPeers: 1 });
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("first", { to: "10.1.0.1:7" });
    programs.links.isHeld = true;
    expect(socket.trySend("held", { to: "10.1.0.2:7" })).toBe(4);
    programs.links.isHeld = false;
    programs.links.deliver();
    expect(outcome(() => socket.trySend("refused", { to: "10.1.0.2:7" }))).toBe("ENOMEM");
    await programs.engine.clock.advance(1_000);
    await programs.engine.settle();
    expect([outcome(() => socket.trySend("refused", { to: "10.1.0.2:7" })), remotes()]).toEqual([
      "ENOMEM",
      ["10.1.0.1"],
    ]);
    socket.cancel("10.1.0.1:7");
    await programs.engine.clock.advance(1_000);
    await programs.engine.settle();
    expect(outcome(() => socket.trySend("next", { to: "10.1.0.2:7" }))).toBe(4);
    expect(programs.engine.stack.info("sendQueue").map(({ length }) => length)).toEqual([4, 4]);
    expect(remotes()).toEqual(["10.1.0.2"]);
  });

  it("a message that waits for room is sent when there is some, though its program knows the destination no more", async () => {
    programs = new Programs({ maxPeers: 1 });
    const socket = await programs.bound(HERE, 4000);
    socket.trySend("first", { to: "10.1.0.1:7" });
    const program = await raw(4001);
    const [to, handle] = [RdsAddress.parse("10.1.0.2:7"), 1];
    program.send(clientFrame.destination(handle, to), dataFrame(handle, Buffer.from("held")));
    program.send(clientFrame.forget(handle));
    // Looked for in vain at first.
    await programs.engine.clock.advance(3_000);
    socket.cancel("10.1.0.1:7");
    await programs.engine.clock.advance(1_000);
    await programs.engine.settle();
    expect(programs.engine.stack.info("sendQueue").map(({ length }) => length)).toEqual([4]);
    expect(remotes()).toEqual(["10.1.0.2"]);
  });
});
