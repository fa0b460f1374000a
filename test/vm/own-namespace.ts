import { enterNamespace } from "./namespaces.js";
import { run } from "./rxe-device.js";

/** A network namespace where the port of RDS over TCP is ours, joined by a wire to A, where it is the kernel's. */
export interface OwnNamespace {
  readonly name: string;
  /** The kernel's address on the wire, in A. */
  readonly kernel: string;
  /** Ours, in the same network of 24 bits. */
  readonly addresses: readonly string[];
}

/** Makes the namespace; sockets of this thread belong to it until the function that is given has taken it away. */
export function enterOwnNamespace({ name, kernel, addresses }: OwnNamespace): () => void {
  const [theirs, ours] = [`a${name.toLowerCase()}0`, `${name.toLowerCase()}a0`];
  run("ip", `netns add ${name}`);
  run("ip", `link add ${theirs} netns A type veth peer name ${ours} netns ${name}`);
  run("ip", `-n A addr add ${kernel}/24 dev ${theirs}`);
  run("ip", `-n A link set ${theirs} up`);
  for (const address of addresses) run("ip", `-n ${name} addr add ${address}/24 dev ${ours}`);
  run("ip", `-n ${name} link set ${ours} up`);
  run("ip", `-n ${name} link set lo up`);
  endKernelListener(name);
  const leave = enterNamespace(name);
  return () => {
    leave();
    run("ip", `netns del ${name}`);
  };
}

/** The kernel listens in every namespace, at all addresses, as soon as its transport is there. */
export function endKernelListener(name: string): void {
  run("ip", `netns exec ${name} ss -K -tln sport = 16385`);
}
