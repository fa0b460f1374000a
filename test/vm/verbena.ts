import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runFace } from "verbena";

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of verbena in this process; resolves with its status and what it wrote. */
export async function verbena(words: readonly string[], onOut: () => void = () => undefined): Promise<Ended> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => {
      out += text;
      onOut();
    },
    err: (text: string) => {
      err += text;
    },
  };
  const status = await runFace(["node", "verbena", ...words], io);
  return { status, out, err };
}

/** A line of the daemon's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly device?: string;
  readonly reason?: string;
  readonly remedy?: string;
}

/** A daemon of this host in this process, with files of its own. */
export class HostDaemon {
  readonly #folder = mkdtempSync("/tmp/verbena-daemon-");
  readonly socket = join(this.#folder, "acm.sock");
  /** Options of the commands that ask it. */
  readonly doors = ["--socket", this.socket, "--control", join(this.#folder, "ctl.sock")];
  #served = Promise.resolve<Ended>({ status: 0, out: "", err: "" });

  /** Starts it and waits until it is ready. */
  static async start(): Promise<HostDaemon> {
    const daemon = new HostDaemon();
    const file = (name: string): string => join(daemon.#folder, name);
    const lines = ["server_mode unix", `log_file ${file("log")}`, `lock_file ${file("pid")}`, "log_level 1"];
    writeFileSync(file("opts"), lines.map((line) => `${line}\n`).join(""));
    writeFileSync(file("addr"), "");
    const isReady = new Promise<void>((resolve) => {
      const words = ["serve", "--options", file("opts"), "--addresses", file("addr"), ...daemon.doors];
      daemon.#served = verbena(words, () => resolve());
    });
    await Promise.race([isReady, daemon.#served.then((early) => assert.fail(`ended: ${JSON.stringify(early)}`))]);
    return daemon;
  }

  /** Ends it as the service manager does; gives its log. */
  async stop(): Promise<readonly LogLine[]> {
    process.kill(process.pid, "SIGTERM");
    assert.deepEqual(await this.#served, { status: 0, out: `ready ${this.socket}\n`, err: "" });
    const log = readFileSync(join(this.#folder, "log"), "utf8");
    rmSync(this.#folder, { recursive: true });
    return log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as LogLine);
  }
}
