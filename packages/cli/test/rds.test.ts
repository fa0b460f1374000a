import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { catRds } from "../src/commands/rds/cat.js";
import { runFace } from "../src/face.js";
import { freePort } from "./support/free-port.js";

/** Runs one command line in this process. */
async function run(words: readonly string[]) {
  let [out, err] = ["", ""];
  const status = await runFace(["node", "verbena", "rds", ...words], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

describe("verbena rds ping", () => {
  it("prints a line for each answer, as rds-ping does, and ends with 0", async () => {
    const { status, out, err } = await run(["ping", "127.0.0.1", "-c", "3", "-i", "1ms", "--transport", "loop"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ {3}1: \d+ usec\n {3}2: \d+ usec\n {3}3: \d+ usec\n$/);
  });

  it("gives JSON lines", async () => {
    const { out } = await run(["ping", "127.0.0.1", "-c", "0x1", "--transport", "loop", "--json"]);
    expect(JSON.parse(out)).toEqual({ sequence: 1, usec: expect.any(Number), from: "127.0.0.1", isDuplicate: false });
  });

  it("says how many it sent and ends with 1 when its time is over and nobody has answered", async () => {
    const port = await freePort();
    const words = ["ping", "127.0.0.3", "-I", "127.0.0.2", "--transport", "tcp", "--tcp-port", port, "--for", "20ms"];
    expect(await run([...words, "-i", "1ms"])).toEqual({
      ...{ status: 1, out: expect.stringMatching(/^[1-8] sent, 0 answered\n$/), err: "" },
    });
    const { status, out } = await run([...words, "-i", "1ms", "--json"]);
    expect([status, JSON.parse(out)]).toEqual([1, { sent: expect.any(Number), answered: 0 }]);
  });

  it.each([
    [["ping", "node2"], '"node2" is no IP address [VERBENA_CLI_USAGE_ARGUMENT]'],
    [["ping", "127.0.0.1", "-c", "0"], "--count takes a whole number from 1, not 0 [VERBENA_CLI_USAGE_ARGUMENT]"],
    [
      ["cat", "--bind", "127.0.0.1:0", "--to", "127.0.0.2:0"],
      "measure the round trip with `verbena rds ping 127.0.0.2`",
    ],
    [["ping", "127.0.0.1", "-Q", "4"], "-Q is not available: no transport has types of service"],
    [["ping", "127.0.0.1", "-i", "soon"], '"soon" is not a duration [VERBENA_CLI_USAGE_DURATION]'],
    [["ping", "127.0.0.1", "--tcp-port", "1"], "--tcp-port needs --transport tcp [VERBENA_CLI_USAGE_ARGUMENT]"],
    [["cat", "--bind", "127.0.0.1"], "is not written ADDRESS:PORT or [ADDRESS]:PORT [VERBENA_RDS_EINVAL]"],
  ])("%j is refused", async (words, reason) => {
    const { status, err } = await run(words);
    expect([status, err]).toEqual([2, expect.stringContaining(reason)]);
  });

  it("names the options to change where no transport serves the source", async () => {
    const { status, err } = await run(["ping", "127.0.0.1", "-I", "192.0.2.77", "-c", "1"]);
    expect(status).toBe(1);
    expect(err).toContain("no transport serves the address 192.0.2.77 [VERBENA_RDS_EADDRNOTAVAIL]");
    expect(err).toMatch(/^hint: .*choose --transport tcp, or another address of this host with --source$/m);
  });

  it("says that verbs is not there yet", async () => {
    const { status, err } = await run(["ping", "127.0.0.1", "--transport", "verbs"]);
    expect([status, err]).toEqual([2, expect.stringContaining("[VERBENA_CLI_USAGE_TRANSPORT]")]);
  });
});

describe("verbena rds cat", () => {
  /** Runs one end on `transport`; `ready` when it is bound. */
  function cat(options: Parameters<typeof catRds>[0], input: Readable) {
    let [out, err] = ["", ""];
    const bound = new PassThrough();
    const ended = catRds(options, input, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
        bound.end(text);
      },
    }).then((status) => ({ status, out, err }));
    return { ready: once(bound, "data"), ended };
  }

  it("carries lines over TCP, in order, an empty one too", async () => {
    const tcpPort = await freePort();
    const carried = { transport: "tcp", tcpPort } as const;
    const receiver = cat({ ...carried, bind: "127.0.0.3:4000", count: "4" }, new PassThrough());
    await receiver.ready;
    const sender = cat({ ...carried, bind: "127.0.0.2:0", to: "127.0.0.3:4000" }, Readable.from(["1\n\nü\n", "4"]));
    expect(await sender.ended).toEqual({
      status: 0,
      out: "",
      err: expect.stringMatching(/^bound to 127\.0\.0\.2:\d+\n$/),
    });
    expect(await receiver.ended).toEqual({ status: 0, out: "1\n\nü\n4\n", err: "bound to 127.0.0.3:4000\n" });
  });

  it("tells in JSON who sent", async () => {
    const tcpPort = await freePort();
    const carried = { transport: "tcp", tcpPort } as const;
    const receiver = cat({ ...carried, bind: "127.0.0.3:4000", count: "1", json: true }, new PassThrough());
    await receiver.ready;
    await cat({ ...carried, bind: "127.0.0.2:7", to: "127.0.0.3:4000" }, Readable.from(["x"])).ended;
    expect(JSON.parse((await receiver.ended).out)).toEqual({ from: "127.0.0.2:7", data: "x" });
  });
});

it("rds info says how to load the kernel's module where it is not loaded", async () => {
  const { status, out, err } = await run(["info"]);
  if (status === 0) expect(out).toContain("Counters:\n");
  else expect(err).toContain("modprobe rds");
});
