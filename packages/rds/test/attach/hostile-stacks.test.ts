import { IpAddress } from "@verbena/ib";
import type { AttachLink } from "../../src/attach/link/attach-link.js";
import { frameOf, preamble } from "../../src/attach/protocol/frame-parts.js";
import { serverFrame } from "../../src/attach/protocol/server-frames.js";
import type { RdsSocket } from "../../src/index.js";
import { virtualHost } from "../conformance/user-space-rig.js";
import { AttachedHost } from "./attached-host.js";

const LIMITS = {
  maxMessageSize: 1000,
  maxBufferSize: 100_000,
  maxMessages: 10,
  maxDestinations: 2,
  emptyNeedsRoom: true,
};
const LOCAL = { address: IpAddress.parse("10.0.0.5"), port: 4000, scopeId: 0 };
const HELLO = [preamble(), serverFrame.welcome(LIMITS), serverFrame.bound(LOCAL, "tcp")];

describe("a stack that does not keep to the protocol", () => {
  const host = virtualHost();
  let attached: AttachedHost;
  let links: AttachLink[];
  let answer: readonly Buffer[];
  beforeEach(() => {
    attached = new AttachedHost(host);
    links = [];
    attached.links.serve((connect) => {
      const link = connect({
        received: () => {
          if (links.includes(link)) return;
          links.push(link);
          for (const frame of answer) link.send(frame);
        },
        drained: () => undefined,
        closed: () => undefined,
      });
    });
  });
  const bind = async (): Promise<RdsSocket> => {
    const socket = attached.program().createSocket();
    await socket.bind(LOCAL);
    return socket;
  };

  it.each<[string, readonly Buffer[], string]>([
    ["another protocol", [Buffer.from("HTTP/1.1 400 Bad Request\r\n")], "ATTACH_MALFORMED"],
    ["another version", [preamble(7)], "ATTACH_VERSION"],
    ["a bind without a welcome", [preamble(), serverFrame.bound(LOCAL, "tcp")], "ATTACH_MALFORMED"],
    ["two welcomes", [preamble(), serverFrame.welcome(LIMITS), serverFrame.welcome(LIMITS)], "ATTACH_MALFORMED"],
    ["news before the bind", [preamble(), serverFrame.welcome(LIMITS), serverFrame.freed(1n)], "ATTACH_MALFORMED"],
    ["an unknown type", [preamble(), frameOf(1, 0)], "ATTACH_MALFORMED"],
    ["a refusal without errno", [preamble(), serverFrame.refused(undefined, "for no reason")], "ATTACH_REFUSED"],
    ["an end", [preamble(), serverFrame.end("enough")], "ATTACH_REFUSED"],
  ])("%s: the bind is refused with a code", async (_what, frames, code) => {
    answer = frames;
    await expect(bind()).rejects.toMatchObject({ code: `VERBENA_RDS_${code}` });
  });

  it("silence: the bind gives up after ten seconds", async () => {
    answer = [];
    await expect(host.clock.run(bind())).rejects.toMatchObject({
      code: "VERBENA_RDS_ATTACH_UNREACHABLE",
      message: expect.stringContaining("no answer within 10000 ms") as string,
    });
  });

  it.each<[string, Buffer]>([
    ["a release of what was not sent", serverFrame.released(1, 0)],
    ["a list that nobody asked for", serverFrame.infoPart(1, true, Buffer.from("{}"))],
    ["a second bind", serverFrame.bound(LOCAL, "tcp")],
    [
      "a message longer than it allows itself",
      serverFrame.message({
        type: "message",
        data: Buffer.alloc(1001),
        length: 1001,
        source: LOCAL,
        control: [],
      }),
    ],
  ])("%s: the socket is detached, and attaches again", async (_what, frame) => {
    answer = HELLO;
    const socket = await bind();
    links[0]?.send(frame);
    expect(attached.events.at(-1)).toMatchObject({
      type: "detached",
      error: { code: "VERBENA_RDS_ATTACH_MALFORMED" },
    });
    await host.clock.advance(100);
    expect(attached.events.at(-1)).toMatchObject({ type: "attached" });
    await socket.close();
  });

  it("the stack's own limits hold: messages, and messages not acknowledged", async () => {
    answer = HELLO;
    const socket = await bind();
    const to = "10.0.0.6:7";
    expect(() => socket.trySend(Buffer.alloc(1001), { to })).toThrow(
      expect.objectContaining({ code: "VERBENA_RDS_EMSGSIZE" }) as Error,
    );
    for (let count = 0; count < 10; count += 1) socket.trySend("x", { to });
    expect(() => socket.trySend("x", { to })).toThrow(expect.objectContaining({ code: "VERBENA_RDS_EAGAIN" }) as Error);
    expect(socket.readiness.writable).toBe(false);
    links[0]?.send(serverFrame.released(1, 1));
    expect(socket.readiness.writable).toBe(true);
    await socket.close();
  });

  it("one that does not close its end does not hold up a close for more than a second", async () => {
    answer = HELLO;
    const socket = await bind();
    attached.links.isHeld = true;
    const start = host.clock.now();
    await host.clock.run(socket.close());
    expect(host.clock.now() - start).toBe(1000);
  });
});
