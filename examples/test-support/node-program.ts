import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { libfabricsimPath, type RunningFabric } from "@verbena/fabric-sim";

/** An example's program on a node of a simulated fabric, and what it prints. */
export class NodeProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [status: number, out: string, err: string]>;

  /** `words`: options of Node's own, the program's file in the folder `cwd`, and its arguments. */
  constructor(fabric: RunningFabric, node: string, cwd: string, words: readonly string[]) {
    const env = {
      ...process.env,
      FABRICSIM_DIR: fabric.dir,
      FABRICSIM_NODE: node,
      VERBENA_LIBIBVERBS: libfabricsimPath(),
    };
    this.child = spawn(process.execPath, [...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    this.ended = once(this.child, "close").then(([status]) => [Number(status ?? -1), out, err] as const);
  }
}

/** A TCP port that is free now, as a program takes it. */
export async function freePort(): Promise<string> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}
