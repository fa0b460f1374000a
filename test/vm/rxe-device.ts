import { type ChildProcess, execFileSync, spawn } from "node:child_process";

/** Runs a program to its end; throws with what it said on standard error. */
export function run(program: string, words: string): void {
  execFileSync(program, words.split(" "), { stdio: ["ignore", "ignore", "pipe"], timeout: 60_000 });
}

/** Starts a program that ends only when we have done something, such as closing a device. */
export const start = (program: string, words: string): ChildProcess =>
  spawn(program, words.split(" "), { stdio: "inherit" });

/** An RDMA device of a test's own, whose link it may take down, and which it may remove. */
export class RxeDevice implements Disposable {
  /** Makes `device` on a network interface `netdev`, which gets `cidr` as its address. */
  constructor(
    readonly device: string,
    readonly netdev: string,
    cidr: string,
  ) {
    this.ip(`link add ${netdev} type dummy`);
    this.ip(`addr add ${cidr} dev ${netdev}`);
    this.linkUp();
    run("rdma", `link add ${device} type rxe netdev ${netdev}`);
  }

  ip(words: string): void {
    run("ip", words);
  }

  linkUp(): void {
    this.ip(`link set ${this.netdev} up`);
  }

  linkDown(): void {
    this.ip(`link set ${this.netdev} down`);
  }

  /** The RDMA device goes with its interface. The kernel waits for who holds it open, so close everything before. */
  [Symbol.dispose](): void {
    this.ip(`link delete ${this.netdev}`);
  }
}
