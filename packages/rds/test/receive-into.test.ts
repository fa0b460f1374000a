import { AttachedRig } from "./conformance/attached-rig.js";
import { bound, message } from "./conformance/rig.js";
import { UserSpaceRig } from "./conformance/user-space-rig.js";
import { ScriptedTransport } from "./support/scripted-transport.js";

describe.each([
  ["user-space engine", () => new UserSpaceRig()],
  ["attached sockets", () => new AttachedRig("10.0.0.9", 1)],
] as const)("receiving into memory of the program's own, %s", (_name, open) => {
  const rig = open();
  afterEach(() => rig.reset());
  afterAll(() => rig.close());

  const pair = async () => {
    const receiver = await bound(rig, rig.loopback[0], 4000);
    const sender = await bound(rig, rig.loopback[1], 4001);
    sender.connect({ address: rig.loopback[0], port: 4000 });
    return { receiver, sender };
  };

  it("a message is at the start of it, and what is behind stays", async () => {
    const { receiver, sender } = await pair();
    const into = Buffer.alloc(8, ".");
    sender.trySend("hello");
    const item = message(await rig.run(receiver.receive({ into })));
    expect([into.toString(), item.data.toString(), item.length]).toEqual(["hello...", "hello", 5]);
    expect(item.data.buffer).toBe(into.buffer);
  });

  it("a message that fills it is it", async () => {
    const { receiver, sender } = await pair();
    const into = Buffer.alloc(5);
    sender.trySend("hello");
    expect(message(await rig.run(receiver.receive({ into }))).data).toBe(into);
  });

  it("what does not fit is discarded, the length tells of it, and maxLength holds, too", async () => {
    const { receiver, sender } = await pair();
    for (const text of ["hello", "again", "next"]) sender.trySend(text);
    const into = Buffer.alloc(3, ".");
    const first = message(await rig.run(receiver.receive({ into })));
    expect([first.data.toString(), first.length]).toEqual(["hel", 5]);
    const second = message(await rig.run(receiver.receive({ into: into.fill("."), maxLength: 1 })));
    expect([second.data.toString(), second.length, into.toString()]).toEqual(["a", 5, "a.."]);
    expect(message(await rig.run(receiver.receive())).data.toString()).toBe("next");
  });

  it("a peek leaves the message whole for who receives it", async () => {
    const { receiver, sender } = await pair();
    sender.trySend("hello");
    const into = Buffer.alloc(2);
    expect(message(await rig.run(receiver.peek({ into }))).data.toString()).toBe("he");
    into.fill("x");
    expect(message(await rig.run(receiver.receive())).data.toString()).toBe("hello");
  });

  it("messages that others keep stay as they are, while many are received into memory", async () => {
    const { receiver, sender } = await pair();
    const into = Buffer.alloc(1000);
    const kept: Buffer[] = [];
    for (let i = 0; i < 2000; i += 1) {
      sender.trySend(Buffer.alloc(1000, i & 0xff));
      const item = message(await rig.run(receiver.receive(i % 100 === 0 ? {} : { into })));
      if (i % 100 === 0) kept.push(item.data);
      else expect([into[0], into.at(-1)]).toEqual([i & 0xff, i & 0xff]);
    }
    expect(kept.every((data, i) => data.equals(Buffer.alloc(1000, (i * 100) & 0xff)))).toBe(true);
  });
});

describe("memory that a transport lends", () => {
  const HEADER = Buffer.alloc(48);
  const setUp = async () => {
    const transport = new ScriptedTransport("10.0.0.1");
    const rig = new UserSpaceRig("10.0.0.9", {}, () => [transport]);
    const receiver = await bound(rig, "10.0.0.1", 4000);
    const peer = transport.contact("10.0.0.2");
    peer.connectionUp();
    const back: (readonly [length: number, isFree: boolean])[] = [];
    const arrive = (port: number, text: string): void => {
      const header = Buffer.from(HEADER);
      header.writeUInt32BE(1, 4);
      header.writeUInt32BE(text.length, 16);
      header.writeUInt16BE(7, 20);
      header.writeUInt16BE(port, 22);
      peer.received(header, 0, Buffer.from(text), { giveBack: (...given) => void back.push(given) });
    };
    return { rig, receiver, back, arrive };
  };

  it("comes back free when the message is received into other memory, dropped, or forgotten with its socket", async () => {
    const { rig, receiver, back, arrive } = await setUp();
    arrive(4000, "one");
    expect(back).toEqual([]);
    receiver.tryReceive({ into: Buffer.alloc(10), peek: true });
    expect(back).toEqual([]);
    receiver.tryReceive({ into: Buffer.alloc(10) });
    expect(back).toEqual([[3, true]]);
    arrive(4001, "no socket");
    expect(back.slice(1)).toEqual([[9, true]]);
    arrive(4000, "unread");
    await receiver.close();
    expect(back.slice(2)).toEqual([[6, true]]);
    await rig.close();
  });

  it("comes back once, as read by others for good, when a program gets a long message or a peek of it", async () => {
    const { rig, receiver, back, arrive } = await setUp();
    arrive(4000, "x".repeat(3000));
    receiver.tryReceive();
    arrive(4000, "x".repeat(5000));
    receiver.nextSize();
    expect(back).toEqual([[3000, false]]);
    receiver.tryReceive({ peek: true });
    receiver.tryReceive({ into: Buffer.alloc(10) });
    expect(back.slice(1)).toEqual([[5000, false]]);
    await rig.close();
  });

  it("comes back free when a program gets a short message: it is copied", async () => {
    const { rig, receiver, back, arrive } = await setUp();
    arrive(4000, "short");
    const peeked = message(receiver.tryReceive({ peek: true })).data;
    expect(back).toEqual([]);
    const received = message(receiver.tryReceive()).data;
    expect([peeked.toString(), received.toString(), back]).toEqual(["short", "short", [[5, true]]]);
    await rig.close();
  });
});
