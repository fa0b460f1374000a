import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@verbena/core";
import { IpAddress } from "@verbena/ib";
import { RdsStack, TcpTransport } from "@verbena/rds";
import { runFace } from "../src/face.js";
import { freePort } from "./support/free-port.js";

/** Runs one side in this process; `said` resolves with the first line of output, in JSON with none. */
function stress(words: readonly string[], warmUp: readonly string[] = ["--warm-up", "0"]) {
  let [out, err] = ["", ""];
  let tell: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const ended = runFace(["node", "verbena", "rds", "stress", ...words, ...warmUp], {
    out: (text) => {
      out += text;
      tell();
    },
    err: (text) => {
      err += text;
    },
  }).then((status) => ({ status, out, err }));
  return { said, ended };
}

/** The last line of JSON that a side wrote. */
const summary = (out: string): Record<string, unknown> =>
  JSON.parse(out.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

/** Two addresses of loopback, and ports of link and transport that are free. */
async function place() {
  const [port, tcpPort] = [await freePort("127.0.0.3"), await freePort("127.0.0.3")];
  const carried = ["--transport", "tcp", "--tcp-port", tcpPort, "-p", port];
  return { port: Number(port), tcpPort: Number(tcpPort), carried };
}

describe("verbena rds stress", () => {
  it("exchanges the requests that were asked for between all children over loopback, and as many come back", async () => {
    const port = await freePort("127.0.0.2");
    const words = [
      "-r",
      "127.0.0.1",
      "-s",
      "127.0.0.2",
      "-p",
      port,
      "--count",
      "50",
      "-t",
      "2",
      "-d",
      "4",
      "-v",
      "--json",
    ];
    const { status, out, err } = await stress(["--transport", "loop", ...words]).ended;
    expect([status, err]).toEqual([0, ""]);
    expect(summary(out)).toMatchObject({ type: "summary", tasks: 2, requestsSent: 200, acksReceived: 200 });
  });

  it.each([
    ["no warm-up unless one is asked for", []],
    ["and shows the whole run where it ends within one", ["--warm-up", "4s"]],
  ])("measures what a count asks for over loopback: %s", async (_what, warmUp) => {
    const port = await freePort("127.0.0.2");
    const words = ["--transport", "loop", "-r", "127.0.0.1", "-s", "127.0.0.2", "-p", port, "--count", "10", "--json"];
    const { status, out } = await stress(words, warmUp).ended;
    const { requestsSent, acksReceived, meanRttUs } = summary(out);
    expect([status, requestsSent, acksReceived]).toEqual([0, 10, 10]);
    expect(meanRttUs).toBeGreaterThan(0);
  });

  it("counts the same on both sides over TCP when only one sends requests", async () => {
    const { carried } = await place();
    const passive = stress([...carried, "-r", "127.0.0.3"]);
    await passive.said;
    const words = ["-r", "127.0.0.2", "-s", "127.0.0.3", "-o", "-q", "4096", "-a", "100", "-t", "2", "-d", "3", "-v"];
    const active = await stress([...carried, ...words, "--count", "100", "--json"]).ended;
    expect([active.status, active.err]).toEqual([0, ""]);
    expect(summary(active.out)).toMatchObject({
      ...{ requestsSent: 400, requestsReceived: 0, acksSent: 0, acksReceived: 400 },
      ...{ bytes: 400 * (4096 + 100), sendQueueBytes: 0, receiveQueueBytes: 0 },
    });
    const { status, out, err } = await passive.ended;
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /^waiting for incoming connection on 127\.0\.0\.3:\d+\naccepted connection from 127\.0\.0\.2:\d+ on 127\.0\.0\.3:\d+\nnegotiated options/,
    );
    expect(out).toMatch(/ {2}\(average\)\n$/);
  });

  it("runs over a stack of another program that both sides are attached to, and leaves nothing of it behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rds-stress-"));
    await using host = createHost();
    await using stack = new RdsStack({ host, loopbackCongestion: true });
    const attached = stack.serve();
    const path = join(folder, "rds.sock");
    const server = createServer((connection) => attached.accept(connection)).listen(path);
    await once(server, "listening");
    const carried = ["--transport", "attach", "--attach-path", path, "-p", await freePort("127.0.0.3")];
    const passive = stress([...carried, "-r", "127.0.0.3", "--receive-buffer", "2000"]);
    await passive.said;
    const words = ["-r", "127.0.0.2", "-s", "127.0.0.3", "-t", "2", "-d", "8", "-v", "--count", "25", "--json"];
    const active = await stress([...carried, ...words]).ended;
    expect([active.status, active.err]).toEqual([0, ""]);
    expect(summary(active.out)).toMatchObject({ tasks: 2, requestsSent: 100, acksReceived: 100 });
    expect(await passive.ended).toMatchObject({ status: 0, err: "" });
    // Requests and acks went by the stack, and not some other way.
    const queued = stack.info("counters").find(({ name }) => name === "send_queued")?.value;
    expect(queued).toBeGreaterThanOrEqual(200n);
    expect(attached.sockets).toEqual([]);
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("holds back from a receiver that reads slowly, and all arrives", async () => {
    const { carried } = await place();
    const slow = stress([...carried, "-r", "127.0.0.3", "--receive-buffer", "4000", "--read-rate", "2k"]);
    await slow.said;
    const words = ["-r", "127.0.0.2", "-s", "127.0.0.3", "-o", "-q", "1000", "-d", "64", "--count", "300", "--json"];
    const { status, out } = await stress([...carried, ...words]).ended;
    expect(status).toBe(0);
    const { requestsSent, acksReceived, refusedCongested } = summary(out);
    expect([requestsSent, acksReceived]).toEqual([300, 300]);
    expect(refusedCongested).toBeGreaterThan(0);
    expect((await slow.ended).status).toBe(0);
  });

  it.each([["0"], ["1"]])("goes on after congestion with --use-cong-monitor %s", async (monitor) => {
    const port = await freePort("127.0.0.2");
    const words = ["-r", "127.0.0.1", "-s", "127.0.0.2", "-p", port, "--count", "200", "-t", "2", "-d", "16"];
    const limits = ["--receive-buffer", "2000", "--use-cong-monitor", monitor, "--json"];
    const { status, out } = await stress(["--transport", "loop", ...words, ...limits]).ended;
    expect([status, summary(out)]).toEqual([0, expect.objectContaining({ requestsSent: 800, acksReceived: 800 })]);
  });

  it.each([
    [["-Q", "4", "-s", "127.0.0.3"], "-Q is not available: no transport has types of service", "USAGE_UNSUPPORTED"],
    [
      ["-D", "4096", "-s", "127.0.0.3"],
      "-D is not available: the sockets of @verbena/rds have no RDMA",
      "USAGE_UNSUPPORTED",
    ],
    [["-R"], "-R is not available", "USAGE_UNSUPPORTED"],
    [["--async"], "--async is not available", "USAGE_UNSUPPORTED"],
    [["--reset"], "--reset is not available", "USAGE_UNSUPPORTED"],
    [["-q", "2k"], "--req-bytes is the active side's to say", "USAGE_ARGUMENT"],
    [["-s", "127.0.0.3", "-q", "62"], "requests have 63 to 1048576 bytes, not 62", "USAGE_ARGUMENT"],
    [["-s", "::1"], "--send-addr takes an IPv4 address", "USAGE_ARGUMENT"],
    [
      ["-s", "127.0.0.3", "--transport", "loop"],
      "over loopback the two sides have different addresses",
      "USAGE_ARGUMENT",
    ],
  ])("%j is refused", async (words, reason, code) => {
    const { status, err } = await stress(words).ended;
    expect([status, err]).toEqual([2, expect.stringContaining(reason)]);
    expect(err).toContain(`[VERBENA_CLI_${code}]`);
  });
});

describe("verbena rds stress with a peer that speaks rds-stress' protocol by the byte", () => {
  const host = createHost();
  afterAll(() => host.close());

  const stackAt = (address: string, port: number): RdsStack =>
    new RdsStack({ host, transports: [new TcpTransport(host, { port, addresses: [IpAddress.parse(address)] })] });

  /** Reads exactly so many bytes. */
  async function read(socket: Socket, length: number): Promise<Buffer> {
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await once(socket, "readable");
    }
  }
  const word = (value: number): string => value.toString(16).padStart(4, "0");
  const [HERE, THERE] = ["7f000002", "7f000003"];

  it("the passive side takes 59 bytes of options, answers the start by one byte, and each request by an ack", async () => {
    const { port, tcpPort, carried } = await place();
    const passive = stress([...carried, "-r", "127.0.0.3", "--json"]);
    await using stack = stackAt("127.0.0.2", tcpPort);
    const socket = stack.createSocket();
    await socket.bind("127.0.0.2", port + 1);
    const link = await connected("127.0.0.3", port, "127.0.0.2");
    const sizes = "00000001000000460000003f00000000";
    const flags = `00000000000001${"00".repeat(6)}0100`;
    link.write(Buffer.from(`${sizes}${THERE}${HERE}${word(port)}000100000000${flags}${"00".repeat(12)}`, "hex"));
    link.write(Buffer.of(1));
    expect(await read(link, 1)).toHaveLength(1);
    const ports = `${word(port + 1)}${word(port + 1)}`;
    for (const sequence of ["00000000", "00000001"]) {
      const request = Buffer.from(`${sequence}${HERE}${THERE}${ports}000001${"00".repeat(51)}`, "hex");
      await socket.send(request, { to: { address: "127.0.0.3", port: port + 1 } });
      const ack = await socket.receive();
      expect(ack.type === "message" && ack.data.toString("hex")).toBe(
        `${sequence}${THERE}${HERE}${ports}000002${"00".repeat(44)}`,
      );
    }
    link.destroy();
    const { status, out } = await passive.ended;
    expect([status, summary(out)]).toEqual([0, expect.objectContaining({ requestsReceived: 2, acksSent: 2 })]);
  });

  it("the active side sends 59 bytes of options, a byte when its children are there, and fails at an ack out of order", async () => {
    const { port, tcpPort, carried } = await place();
    await using stack = stackAt("127.0.0.3", tcpPort);
    const socket = stack.createSocket();
    await socket.bind("127.0.0.3", port + 1);
    const server = createServer().listen(port, "127.0.0.3");
    await once(server, "listening");
    const active = stress([...carried, "-r", "127.0.0.2", "-s", "127.0.0.3", "-q", "70", "-o"]);
    const [link] = (await once(server, "connection")) as [Socket];
    server.close();
    const sizes = "00000001000000460000003f00000000";
    const flags = "000000000000010100010000000100";
    expect((await read(link, 59)).toString("hex")).toBe(
      `${sizes}${THERE}${HERE}${word(port)}000100000000${flags}000000010000000000000000`,
    );
    await read(link, 1);
    link.write(Buffer.of(1));
    const ports = `${word(port + 1)}${word(port + 1)}`;
    const request = await socket.receive();
    expect(request.type === "message" && request.data.toString("hex")).toBe(
      `00000000${HERE}${THERE}${ports}000001${"00".repeat(51)}`,
    );
    const late = Buffer.from(`00000001${THERE}${HERE}${ports}000002${"00".repeat(44)}`, "hex");
    await socket.send(late, { to: { address: "127.0.0.2", port: port + 1 } });
    const { status, err } = await active.ended;
    expect([status, err]).toEqual([1, expect.stringContaining("seq is 1, not 0 [VERBENA_CLI_STRESS]")]);
  });

  it("a passive side that is asked for what it cannot do ends with the reason, and so does the active one", async () => {
    const { port, carried } = await place();
    const passive = stress([...carried, "-r", "127.0.0.3"]);
    await passive.said;
    const link = await connected("127.0.0.3", port, "127.0.0.2");
    const version = Buffer.alloc(16);
    version.write("2.0.7");
    link.write(Buffer.concat([version, Buffer.alloc(59), Buffer.of(3, 0)]));
    const { status, err } = await passive.ended;
    expect([status, err]).toEqual([1, expect.stringContaining("it wants type of service 3 (-Q) [VERBENA_CLI_STRESS]")]);
    link.destroy();
  });

  async function connected(address: string, port: number, localAddress: string): Promise<Socket> {
    for (;;) {
      const socket = connect({ host: address, port, localAddress });
      try {
        await once(socket, "connect");
        return socket;
      } catch (error) {
        // In JSON a side does not say that it waits.
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
      }
    }
  }
});
