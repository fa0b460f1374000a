import { createSocket } from "node:dgram";
import { IpAddress, type VerbenaError } from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import { coreError } from "../errors.js";

/** Chooses the local address for a destination when the request names none. */
export interface SourceSelector {
  /** Rejects with VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE, `errno` set. */
  select(destination: IpAddress): Promise<IpAddress>;
}

/** Any port but 0; nothing is ever sent. */
const DISCARD_PORT = 9;
const ENETUNREACH = 101;
const EIO = 5;

/** Asks the kernel's routing: the local address of a UDP socket connected to the destination. */
export const kernelSourceSelector: SourceSelector = {
  select: (destination) =>
    new Promise((resolve, reject) => {
      const socket = createSocket({ type: IpAddress.family(destination) === 4 ? "udp4" : "udp6" });
      const fail = (error: unknown): void => {
        socket.close();
        reject(noRoute(destination, errnoOf(error), { cause: error }));
      };
      socket.once("error", fail);
      socket.connect(DISCARD_PORT, destination, (...args: unknown[]) => {
        if (args[0] !== undefined && args[0] !== null) {
          fail(args[0]);
          return;
        }
        // An IPv6 link-local source comes with its interface: fe80::1%ib0.
        const local = IpAddress.tryParse(socket.address().address.replace(/%.*$/, ""));
        socket.close();
        if (local === undefined) reject(noRoute(destination, EIO));
        else resolve(local);
      });
    }),
};

const NO_SIMULATED_ADDRESS =
  "the simulated host has no address of that family; `verbena sim ctl --dir DIR addr add NODE IP/PREFIX` gives it one";

/** For simulated hosts, which have no kernel of their own: longest matching prefix among the node's addresses, else the first of the family. */
export function fabricSourceSelector(addresses: () => readonly HostAddress[]): SourceSelector {
  return {
    select: (destination) => {
      const best = longestMatch(addresses(), destination);
      return best === undefined
        ? Promise.reject(noRoute(destination, ENETUNREACH, { hint: NO_SIMULATED_ADDRESS }))
        : Promise.resolve(best);
    },
  };
}

function longestMatch(addresses: readonly HostAddress[], destination: IpAddress): IpAddress | undefined {
  const family = IpAddress.family(destination);
  const wanted = IpAddress.bytes(destination);
  let best: IpAddress | undefined;
  let bestLength = -1;
  for (const host of addresses) {
    const address = IpAddress.tryParse(host.address);
    if (address === undefined || IpAddress.family(address) !== family) continue;
    const matches = commonBits(IpAddress.bytes(address), wanted) >= host.prefixLength;
    const length = matches ? host.prefixLength : -1;
    if (best === undefined || length > bestLength) {
      best = address;
      bestLength = length;
    }
  }
  return best;
}

function commonBits(a: Buffer, b: Buffer): number {
  for (const [index, byte] of a.entries()) {
    const difference = byte ^ (b[index] ?? 0);
    if (difference !== 0) return index * 8 + Math.clz32(difference) - 24;
  }
  return a.length * 8;
}

function noRoute(destination: IpAddress, errno: number, more: { cause?: unknown; hint?: string } = {}): VerbenaError {
  return coreError("VERBENA_RESOLVE_NO_ROUTE_TO_SOURCE", { details: { destination, errno }, errno, ...more });
}

/** Node gives system errors a negative errno. */
function errnoOf(error: unknown): number {
  const errno = typeof error === "object" && error !== null && "errno" in error ? error.errno : undefined;
  return typeof errno === "number" ? Math.abs(errno) : EIO;
}
