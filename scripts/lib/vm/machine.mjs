import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pump, readControl } from "./control.mjs";
import { VmFailed } from "./failure.mjs";
import { logTail } from "./kernel-log.mjs";
import { jobFiles, portDescriptors, qemuArguments, sharedFolders } from "./plan.mjs";

const answerMs = 5000;

/** One run: starts the machine, carries its streams, and settles `result` with the exit status. */
class Machine {
  #isReady = false;
  #isOver = false;
  #promised; // the command's status and the bytes still to come
  #stopped; // { status, failure }, once the machine was asked to end
  #timer;
  #got = { out: 0, err: 0 };
  #qemuSaid = "";

  constructor(child, { log, timeout, isInputWanted, note }) {
    this.child = child;
    this.log = log;
    this.isInputWanted = isInputWanted;
    this.note = note;
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        this.#qemuSaid += data;
      });
    }
    const [out, err, control, input] = Object.values(portDescriptors).map((fd) => child.stdio[fd]);
    for (const [name, from] of Object.entries({ out, err })) {
      pump(from, name === "out" ? process.stdout : process.stderr, (count) => {
        this.#got[name] += count;
        this.#settle();
      });
    }
    this.control = control;
    this.input = input;
    control.on("error", () => {});
    input.on("error", () => {});
    readControl(control, {
      mark: (name) => this.#mark(name),
      exit: (promised) => {
        this.#promised = promised;
        this.#settle();
      },
      fail: (text) => this.#end(undefined, new VmFailed("VM_SETUP", `in the machine: ${text}${logTail(log)}`)),
    });
    child.on("error", (error) => reject(new VmFailed("VM_PROGRAM", `QEMU does not start: ${error.message}`)));
    child.on("exit", (_status, signal) => this.#exited(signal));
    this.#timer = setTimeout(() => {
      const when = this.#isReady ? "" : `, before the command began${logTail(log)}`;
      this.stop(124, new VmFailed("VM_TIMEOUT", `timed out after ${timeout} s${when}`));
    }, timeout * 1000);
  }

  /** Asks the guest to end the command and to write back its files, and insists when it does not answer. */
  stop(status, failure) {
    if (this.#stopped || this.#isOver) return;
    this.#stopped = { status, failure };
    clearTimeout(this.#timer);
    if (!this.#isReady) return this.#end(status, failure);
    this.control.write("stop\n");
    this.#timer = setTimeout(() => {
      const text = `${failure.message}; the machine does not answer${logTail(this.log)}`;
      this.#end(status, new VmFailed("VM_SILENT", text));
    }, answerMs);
  }

  #mark(name) {
    this.note(`the machine has its ${name}`);
    this.#isReady = name === "rdma";
    if (this.#isReady && this.isInputWanted) process.stdin.pipe(this.input);
  }

  /** Ends the run when every byte of output that the guest sent has arrived. */
  #settle() {
    if (!this.#promised || this.#got.out < this.#promised.out || this.#got.err < this.#promised.err) return;
    this.note(`the command ended with ${this.#promised.status}`);
    this.#end(this.#stopped?.status ?? this.#promised.status, this.#stopped?.failure);
  }

  #exited(signal) {
    if (this.#isOver) return;
    const said = this.#qemuSaid === "" ? "" : `\nQEMU: ${this.#qemuSaid.trim()}`;
    const how = signal ? `, by ${signal}` : "";
    const text = `the machine ended before the command did${how}${said}${logTail(this.log)}`;
    this.#end(this.#stopped?.status, this.#stopped?.failure ?? new VmFailed("VM_ENDED", text));
  }

  #end(status, failure) {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.isInputWanted) process.stdin.destroy();
    const settle = () => this.resolve({ status: status ?? 125, failure });
    if (this.child.exitCode !== null || this.child.signalCode !== null) return settle();
    this.child.once("close", settle);
    this.child.kill("SIGKILL");
  }
}

/**
 * Runs `options.command` in a machine with `kernel`. Resolves with { status, failure? }: the command's own status, or the harness's with
 * the reason. `programs` are those of hostPrograms(); `note(text)` hears of each step.
 */
export async function runMachine({ options, kernel, programs, note }) {
  const cwd = process.cwd();
  if (cwd === "/") throw new VmFailed("VM_USAGE", "the root directory cannot be shared for writing: change to another");
  // Not TMPDIR: the guest reads it there, and hides some of the host's folders (/run, /dev) behind its own.
  const work = mkdtempSync("/tmp/verbena-vm-");
  const log = options.kernelLog ?? join(work, "console");
  const shared = sharedFolders(cwd, options.rw);
  const { qemu, setpriv, ip, rdma } = programs;
  let child;
  const clean = () => {
    if (child?.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    rmSync(work, { recursive: true, force: true });
  };
  process.once("exit", clean);
  const job = { hosts: options.hosts, stdin: options.stdin, kernelDir: kernel.dir, ip, rdma, shared, cwd };
  const files = jobFiles({ ...job, env: process.env, extraEnv: options.env, command: options.command });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(work, name), content);
  const { cpus, memory, timeout } = options;
  const { image, initrd } = kernel;
  const isLogVerbose = options.kernelLog !== undefined;
  const args = qemuArguments({ cpus, memory, image, initrd, work, log, isLogVerbose, shared });
  // The machine ends with this process, however that ends (pdeathsig). A session of its own keeps the terminal's signals away from it.
  child = spawn(setpriv, ["--pdeathsig", "KILL", qemu, ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const machine = new Machine(child, { log, timeout, isInputWanted: options.stdin === true, note });
  for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 })) {
    process.on(signal, () => machine.stop(128 + number, new VmFailed("VM_STOPPED", `stopped by ${signal}`)));
  }
  return machine.result;
}
