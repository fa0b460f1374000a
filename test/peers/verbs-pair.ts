import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { libfabricsimPath } from "@verbena/fabric-sim";
import { programPath } from "../../packages/cli/test/support/run.js";
import { find, type Run } from "./sim-programs.js";

/** A program and its first arguments. A name is looked for on the path. */
export type Command = string | readonly [program: string, ...args: string[]];

/** Where one half of a program runs. */
export interface Host {
  /** The command line that runs `words` there. */
  line(words: readonly string[]): readonly string[];
}

/** Where both halves run; they reach each other by TCP at 127.0.0.1. */
export interface HostPair {
  readonly server: Host;
  readonly client: Host;
}

/** What both ends left behind. */
export interface PairRun {
  readonly server: Run;
  readonly client: Run;
}

/** A node of a simulated fabric: programs run there by `verbena sim exec`. */
export const nodeOf = (fabric: string, node: string): Host => ({
  line: (words) => [process.execPath, programPath(), "sim", "exec", "--dir", fabric, "--node", node, "--", ...words],
});

/** Preloaded into the server: it says when it listens. */
const notice = (): string => join(dirname(libfabricsimPath()), "liblisten-notice.so");

/** Why pairs cannot run here, or `undefined`. */
export function missingNotice(): string | undefined {
  return existsSync(notice()) ? undefined : `${notice()} is not built`;
}

/**
 * Runs a program that measures between two ends, as those of ibverbs-utils and perftest do: a server on one host, and when it listens a
 * client on the other that is given the server's address. The client is the same program unless `clients` names one.
 */
export async function runPair(
  program: Command,
  args: readonly string[],
  hosts: HostPair,
  clients: Command = program,
): Promise<PairRun> {
  const rest = ["-p", String(await freePort()), ...args];
  const server = new End(hosts.server.line([...words(program), ...rest]), notice());
  try {
    await server.listening;
    const client = new End(hosts.client.line([...words(clients), ...rest, "127.0.0.1"]));
    // One end whose peer failed may wait for it for ever.
    server.endsWith(client);
    client.endsWith(server);
    return { client: await client.ended, server: await server.ended };
  } finally {
    server.kill();
  }
}

function words(command: Command): readonly string[] {
  const [program, ...args] = typeof command === "string" ? [command] : command;
  return [find(program) ?? program, ...args];
}

/** One half: a program on a host. */
class End {
  readonly #child: ChildProcess;
  readonly ended: Promise<Run>;
  /** Settles when it listens; rejects if it ended instead. */
  readonly listening: Promise<void>;

  constructor([program = "", ...args]: readonly string[], preload = "") {
    const env = { ...process.env, LD_PRELOAD: preload };
    this.#child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
    let [stdout, stderr] = ["", ""];
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    this.ended = once(this.#child, "close").then(([status]) => ({ status: Number(status ?? -1), stdout, stderr }));
    this.listening = new Promise((settle, reject) => {
      this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
        if (stderr.includes("listening\n")) settle();
      });
      this.ended.then(() => reject(new Error(`ended before it listened:\n${stdout}${stderr}`)), reject);
    });
    this.listening.catch(() => undefined);
  }

  /** Ends it if `peer` fails. */
  endsWith(peer: End): void {
    void peer.ended.then(({ status }) => {
      if (status !== 0) this.kill();
    });
  }

  kill(): void {
    this.#child.kill("SIGTERM");
  }
}

/** A TCP port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
