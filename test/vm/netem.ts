import { execFileSync } from "node:child_process";
import { run } from "./rxe-device.js";

/** What leaves a network interface is lost, delayed, repeated or put out of order, as `tc` calls it, until this is disposed of. */
export class Netem implements AsyncDisposable {
  constructor(
    private readonly netdev: string,
    fault: string,
  ) {
    run("modprobe", "sch_netem");
    run("tc", `qdisc replace dev ${netdev} root netem ${fault}`);
  }

  /** Packets that are held back leave first: the kernel would drop them. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (!this.#isEmpty()) await new Promise((resolve) => setImmediate(resolve));
    run("tc", `qdisc delete dev ${this.netdev} root`);
  }

  #isEmpty(): boolean {
    return execFileSync("tc", ["-s", "qdisc", "show", "dev", this.netdev], { encoding: "utf8" }).includes(
      " backlog 0b 0p ",
    );
  }
}
