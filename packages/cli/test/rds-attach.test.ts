/** Processes that attach to the RDS of a daemon, all of them real ones. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import { createHost } from "@verbena/core";
import { type AttachEvent, AttachTransport, RdsStack } from "@verbena/rds";
import { Cluster } from "./support/cluster.js";
import { ask, programPath } from "./support/run.js";
import { type Served, startServe } from "./support/serve.js";

const TIMEOUT_MS = 60_000;

/** `verbena rds cat` in a process of its own, bound and waiting. */
class Cat implements AsyncDisposable {
  readonly lines: AsyncIterator<string>;
  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  static async bound(path: string, address: string): Promise<Cat> {
    const words = ["rds", "cat", "--bind", address, "--transport", "attach", "--attach-path", path];
    const cat = new Cat(spawn(process.execPath, [programPath(), ...words]));
    for await (const line of createInterface(cat.child.stderr)) {
      if (line.startsWith("bound to ")) return cat;
      throw new Error(line);
    }
    throw new Error("it said nothing");
  }

  async next(): Promise<string> {
    const { value } = (await this.lines.next()) as { value: string };
    return value;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    await ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end("SIGKILL");
  }
}

describe("serve --rds", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ hosts: 1 });
  }, TIMEOUT_MS);
  afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);
  const daemon = (...words: readonly string[]): Promise<Served> =>
    cluster.serve("H1", ["-O", cluster.write("options", "log_level 1\n"), ...words]);
  const send = (path: string, text: string, to: string) =>
    new Promise<void>((resolve, reject) => {
      const words = ["rds", "cat", "--bind", "127.0.0.1:0", "--to", to, "--transport", "attach", "--attach-path", path];
      const sender = spawn(process.execPath, [programPath(), ...words]);
      sender.stdin.end(text);
      sender.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`sender ended with ${String(code)}`))));
    });

  it(
    "processes reach each other; a killed one leaves its port free and disturbs nobody",
    async () => {
      await using served = await daemon("--rds");
      const path = `${served.socket}.rds`;
      await using first = await Cat.bound(path, "127.0.0.1:4000");
      await using second = await Cat.bound(path, "127.0.0.1:4001");
      await send(path, "one\n", "127.0.0.1:4000");
      expect(await first.next()).toBe("one");
      expect((await served.control.status()).rds).toEqual({ path, sockets: 2 });
      await first.end("SIGKILL");
      await using third = await Cat.bound(path, "127.0.0.1:4000");
      await send(path, "two\n", "127.0.0.1:4000");
      await send(path, "three\n", "127.0.0.1:4001");
      expect([await third.next(), await second.next()]).toEqual(["two", "three"]);
      expect((await served.control.status()).rds).toEqual({ path, sockets: 2 });
    },
    TIMEOUT_MS,
  );

  it(
    "a process attaches again to the daemon that comes after a killed one",
    async () => {
      const path = cluster.path("rds.sock");
      await using served = await daemon("--rds", path);
      await using cat = await Cat.bound(path, "127.0.0.1:4000");
      await using host = createHost();
      const events: AttachEvent[] = [];
      let attached: (() => void) | undefined;
      const onEvent = (event: AttachEvent): void => {
        events.push(event);
        if (event.type === "attached") attached?.();
      };
      await using stack = new RdsStack({ host, transports: [new AttachTransport(host, { path, onEvent })] });
      const socket = stack.createSocket();
      await socket.bind("127.0.0.1", 4100);
      await socket.send("before", { to: "127.0.0.1:4000" });
      expect(await cat.next()).toBe("before");
      await socket.drain();
      const again = new Promise<void>((resolve) => {
        attached = resolve;
      });
      served.child.kill("SIGKILL");
      await served.child.ended;
      await using next = await daemon("--rds", path);
      await again;
      // Both are back once the daemon has said so twice.
      for (let count = 0; count < 2; count += 1) await next.logged(/a process has attached/);
      await socket.send("after", { to: "127.0.0.1:4000" });
      expect(await cat.next()).toBe("after");
      expect(events.map(({ type }) => type).filter((type) => type === "lost")).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "the configuration says who may attach, and to what",
    async () => {
      const path = cluster.path("c.sock");
      const config = cluster.write(
        "verbena.yaml",
        'rds: { attach: { path: c.sock, mode: "0600", group: "0", addresses: [127.0.0.2], maxSockets: 1 } }\n',
      );
      await using served = await daemon("--config", config);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      await expect(Cat.bound(path, "127.0.0.1:4000")).rejects.toThrow("VERBENA_RDS_EADDRNOTAVAIL");
      await using cat = await Cat.bound(path, "127.0.0.2:4000");
      await expect(Cat.bound(path, "127.0.0.2:4001")).rejects.toThrow("1 sockets of other processes are open already");
      expect(cat.child.exitCode).toBeNull();
      expect((await served.control.status()).rds).toEqual({ path, sockets: 1 });
    },
    TIMEOUT_MS,
  );

  it(
    "a second daemon does not take the path from one that listens there, nor starts with a group that there is not",
    async () => {
      const path = cluster.path("one.sock");
      await using served = await daemon("--rds", path);
      const second = (...words: readonly string[]) =>
        startServe(
          ["--fabric", cluster.fabric, "--node", "H1", "-O", cluster.write("second", "log_level 1\n"), ...words],
          cluster.path("second.sock"),
        );
      await expect(second("--rds", path)).rejects.toThrow(`cannot listen on ${path}: another process listens there`);
      await using cat = await Cat.bound(path, "127.0.0.1:4000");
      expect((await served.control.status()).rds).toEqual({ path, sockets: 1 });
      expect(cat.child.exitCode).toBeNull();
      const config = cluster.write("group.yaml", "rds: { attach: { path: two.sock, group: no-such-group } }\n");
      await expect(second("--config", config)).rejects.toThrow("groupadd --system NAME");
    },
    TIMEOUT_MS,
  );

  it(
    "who attaches at a socket of another protocol is told that it is not an RDS socket",
    async () => {
      await using served = await daemon();
      await expect(Cat.bound(served.socket, "127.0.0.1:4000")).rejects.toThrow("it is not an RDS socket");
    },
    TIMEOUT_MS,
  );

  it(
    "a daemon that was not asked hosts nothing",
    async () => {
      await using served = await daemon();
      expect(await served.control.status()).not.toHaveProperty("rds");
      const path = `${served.socket}.rds`;
      const words = ["rds", "ping", "127.0.0.1", "-c", "1", "--transport", "attach", "--attach-path", path];
      expect((await ask(words)).err).toContain("VERBENA_RDS_ATTACH_UNREACHABLE");
    },
    TIMEOUT_MS,
  );

  it.each([
    ['rds: { attach: { mode: "rw" } }', "must be octal digits in quotes"],
    ["rds: { attach: { mode: 0660 } }", "must be octal digits in quotes"],
    ["rds: { attach: { addresses: [node7] } }", "must be an IP address"],
    ["rds: { attach: { pth: x } }", "path"],
  ])("%s is refused", async (text, reason) => {
    const file = cluster.write("wrong.yaml", `${text}\n`);
    const { status, out, err } = await ask(["config", "check", "--config", file]);
    expect([status === 0, `${out}${err}`]).toEqual([false, expect.stringContaining(reason)]);
  });
});
