/** Calls as a program without types may make them: each gets an error that says what to do, and nothing else is harmed by it. */
import { createHost } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import {
  AttachTransport,
  type AttachTransportOptions,
  type RdsSocket,
  RdsStack,
  TcpTransport,
  type TcpTransportOptions,
} from "../src/index.js";

/** What a program gives that heeds no type. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- what it is taken for is the caller's to say
const untyped = <T>(value: unknown): T => value as T;

describe("misuse of a socket", () => {
  const host = createHost();
  let stack: RdsStack;
  let sender: RdsSocket;
  let receiver: RdsSocket;
  const to = "127.0.0.1:4001";
  beforeEach(async () => {
    stack = new RdsStack({ host });
    [sender, receiver] = [stack.createSocket(), stack.createSocket()];
    await sender.bind("127.0.0.1", 4000);
    await receiver.bind("127.0.0.1", 4001);
  });
  afterEach(() => stack.close());
  afterAll(() => host.close());

  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a Uint16Array", new Uint16Array(3)],
    ["a DataView", new DataView(new ArrayBuffer(3))],
    ["an ArrayBuffer", new ArrayBuffer(4)],
    ["numbers", [1, 2]],
    ["an object", { length: 3 }],
  ])("%s is no payload, and the sends after it are as they were", async (_what, data) => {
    const code = "VERBENA_RDS_EINVAL";
    await expect(sender.send(untyped(data), { to })).rejects.toMatchObject({ code });
    await expect(sender.sendv(untyped([data]), { to })).rejects.toMatchObject({ code });
    expect(() => sender.trySend(untyped(data), { to })).toThrow("made of Uint8Array and text");
    await sender.send("good", { to });
    expect(await receiver.receive()).toMatchObject({ length: 4 });
    expect(receiver.tryReceive()).toBeUndefined();
  });

  it.each([[-1], [Number.NaN], ["5"], [null]])(
    "a time-out of %p is refused by every call that waits",
    async (timeoutMs) => {
      const options = untyped<{ timeoutMs: number }>({ timeoutMs });
      await sender.send("kept", { to });
      const calls = [
        receiver.receive(options),
        receiver.peek(options),
        receiver.readable(options),
        sender.send("x", { to, ...options }),
        sender.drain(options),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: "VERBENA_RDS_EINVAL" });
      expect(receiver.nextSize()).toBe(4);
    },
  );

  it("a signal that is aborted before keeps what could be done at once from being done", async () => {
    const signal = AbortSignal.abort(new Error("over"));
    await sender.send("kept", { to });
    const calls = [
      sender.send("never", { to, signal }),
      receiver.receive({ signal }),
      receiver.peek({ signal }),
      receiver.readable({ signal }),
      sender.drain({ signal }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "VERBENA_RDS_ABORTED" });
    expect(receiver.tryReceive()).toMatchObject({ length: 4 });
    expect(receiver.tryReceive()).toBeUndefined();
  });

  it.each([[-1], [Number.NaN], ["3"]])("a length of %p is refused, and the message stays", async (maxLength) => {
    await sender.send("hello", { to });
    const options = untyped<{ maxLength: number }>({ maxLength });
    await expect(receiver.receive(options)).rejects.toMatchObject({ code: "VERBENA_RDS_EINVAL" });
    expect(() => receiver.tryReceive(options)).toThrow("maxLength must be a number that is not negative");
    expect(receiver.nextSize()).toBe(5);
  });

  it.each([[[]], [["readble"]], ["readable"], [undefined]])("poll(%j) does not wait for ever", async (wanted) => {
    await expect(receiver.poll(untyped(wanted))).rejects.toThrow("a list of readable, writable, uncongested");
  });

  it("a list that there is not is told from those that there are", async () => {
    expect(() => stack.info(untyped<"counters">("toString"))).toThrow('there is no list "toString": they are counters');
    await expect(sender.info(untyped<"counters">("x"))).rejects.toMatchObject({ code: "VERBENA_RDS_EINVAL" });
  });

  it("a number is no mask of ports", () => {
    expect(() => receiver.monitorCongestion(untyped(5))).toThrow("a mask of ports is a bigint or a boolean, not 5");
    expect(receiver.monitoredPorts).toBeUndefined();
  });

  it("every call after the close says that the socket is closed", async () => {
    await sender.close();
    const code = "VERBENA_RDS_CLOSED";
    for (const call of [
      () => sender.cancel(),
      () => sender.monitorCongestion(true),
      () => sender.useTransport("loopback"),
      () => sender.connect(to),
      () => sender.tryReceive(),
      () => sender.trySend("x"),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code }));
    }
    for (const call of [
      sender.info("counters"),
      sender.receive(),
      sender.send("x"),
      sender.drain(),
      sender.poll(["readable"]),
    ]) {
      await expect(call).rejects.toMatchObject({ code });
    }
  });

  it("a wait with a time-out keeps the process running until it is over, one without does not", async () => {
    const held = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = held();
    const wait = new AbortController();
    const waiting = receiver.receive({ timeoutMs: 60_000, signal: wait.signal });
    expect(held()).toBe(before + 1);
    wait.abort();
    await expect(waiting).rejects.toMatchObject({ code: "VERBENA_RDS_ABORTED" });
    expect(held()).toBe(before);
    const forEver = receiver.receive();
    expect(held()).toBe(before);
    await sender.send("x", { to });
    await forEver;
  });
});

describe("misuse of options", () => {
  const host = createHost();
  afterAll(() => host.close());
  const refusal = expect.objectContaining({ code: "VERBENA_RDS_OPTION" }) as Error;

  it.each([
    [{ peer: ["10.0.0.1"] }, "unknown option peer; did you mean peers?"],
    [{ peers: ["node7"] }, 'peers takes IP addresses, and "node7" is none'],
    [{ peers: "10.0.0.1" }, "peers must be a list of IP addresses"],
    [{ addresses: ["10.0.0.01"] }, "addresses takes IP addresses"],
    [{ port: 0 }, "port must be a whole number of 1…65535, not 0"],
    [{ port: "16385" }, "port must be a whole number"],
    [{ peerPorts: { "10.0.0.1": 5 } }, "peerPorts must be a Map"],
    [{ peerPorts: new Map([["10.0.0.1", 0]]) }, "peerPorts must be a whole number"],
    [{ maxMessageSize: 2 ** 32 }, "maxMessageSize must be a whole number"],
    [{ maxAcceptRate: 0 }, "maxAcceptRate must be a whole number"],
    [{ maxAcceptRatePerPeer: Number.NaN }, "maxAcceptRatePerPeer must be a whole number"],
  ])("TcpTransport refuses %j", (options, problem) => {
    const make = () => new TcpTransport(host, untyped<TcpTransportOptions>(options));
    expect(make).toThrow(problem);
    expect(make).toThrow(refusal);
  });

  it("takes a mapped address for the IPv4 address that it is, as everywhere", () => {
    const mapped = IpAddress.parse("::ffff:127.0.0.9");
    const transport = new TcpTransport(host, { addresses: [mapped] });
    expect(transport.claims({ address: IpAddress.parse("127.0.0.9"), scopeId: 0 })).toBe(true);
  });

  it.each([[{}], [{ path: "" }], [{ path: 4000 }]])("AttachTransport refuses %j", (options) => {
    const make = () => new AttachTransport(host, untyped<AttachTransportOptions>(options));
    expect(make).toThrow("path must name the Unix socket of a stack");
    expect(make).toThrow(refusal);
  });

  it.each([
    [{ semantics: "posix" }, "semantics must be one of linux, document, not posix"],
    [{ maxPeer: 5 }, "did you mean maxPeers?"],
  ])("RdsStack refuses %j", (options, problem) => {
    expect(() => new RdsStack({ host, ...untyped<object>(options) })).toThrow(problem);
  });

  it("sockets and servers refuse what they do not know", async () => {
    await using stack = new RdsStack({ host });
    expect(() => stack.createSocket(untyped({ sendTimeout: 5 }))).toThrow("did you mean sendTimeoutMs?");
    expect(() => stack.createSocket(untyped({ sendTimeout: 5 }))).toThrow(refusal);
    expect(() => stack.serve({ addresses: untyped(["node7"]) })).toThrow('"node7" is none');
  });
});
