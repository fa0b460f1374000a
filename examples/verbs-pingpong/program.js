import { randomInt } from "node:crypto";
import { Gid, VerbenaError } from "@verbena/ib";
import { openNative } from "@verbena/native";
import { describe } from "./address.js";
import { readArguments, UsageError } from "./arguments.js";
import { play } from "./rally.js";
import { openRendezvous } from "./rendezvous.js";

const NOBODY = { lid: 0, qpn: 0, psn: 0, gid: Gid.zero };

/** @type {(native: import("@verbena/native").Native) => string} */
function whyNone(native) {
  const { verbs } = native.availability();
  return verbs.available ? "this host has no RDMA device" : `no RDMA device: ${verbs.reason}\n${verbs.hint}`;
}

/**
 * @param {import("@verbena/native").Native} native
 * @param {string | undefined} name
 */
function openDevice(native, name) {
  const device = name ?? native.verbs.devices()[0]?.name;
  if (device === undefined) throw new UsageError(whyNone(native));
  return native.verbs.open(device);
}

/**
 * @param {import("./rally.js").End} end
 * @param {import("@verbena/native").Context} context
 * @param {import("./arguments.js").Options} options
 * @returns {readonly import("./address.js").Address[]}
 */
function addressesOf(end, context, { ibPort, gidIndex }) {
  const { lid } = context.queryPort(ibPort);
  const gid = gidIndex === undefined ? Gid.zero : context.queryGid(ibPort, gidIndex);
  const own = end.pairs.map(({ qpn }) => ({ lid, qpn, psn: randomInt(2 ** 24), gid }));
  return [...own, ...Array(end.addresses - own.length).fill(NOBODY)];
}

/** @typedef {(context: import("@verbena/native").Context, options: import("./arguments.js").Options) => Promise<import("./rally.js").End>} OpenEnd */

/**
 * @param {import("@verbena/native").Native} native
 * @param {OpenEnd} openEnd
 * @param {import("./arguments.js").Options} options
 */
async function pingPong(native, openEnd, options) {
  const context = openDevice(native, options.device);
  const end = await openEnd(context, options);
  end.postReceives(options.rxDepth);

  const mine = addressesOf(end, context, options);
  const meet = await openRendezvous(options);
  for (const address of mine.slice(0, end.pairs.length)) console.log(`  local address:  ${describe(address)}`);
  await meet(mine, async (remote) => {
    for (const [i, pair] of end.pairs.entries()) {
      const [there, here] = [remote[i], mine[i]];
      if (there === undefined || here === undefined) throw new Error("fewer addresses than queue pairs");
      await end.connect(pair, there, here);
      console.log(`  remote address: ${describe(there)}`);
    }
  });

  const seconds = await play(end, options);
  const bytes = 2 * options.size * options.iterations;
  const [rate, each] = [(bytes * 8) / seconds / 1e6, (seconds * 1e6) / options.iterations];
  console.log(`${bytes} bytes in ${seconds.toFixed(2)} seconds = ${rate.toFixed(2)} Mbit/sec`);
  console.log(`${options.iterations} iters in ${seconds.toFixed(2)} seconds = ${each.toFixed(2)} usec/iter`);
}

/** @param {unknown} error */
function report(error) {
  if (VerbenaError.is(error)) console.error(`${error.code}: ${error.message}\n${error.hint ?? ""}`);
  // Of a socket, or of the command line: the message says it all.
  else if (error instanceof UsageError || (error instanceof Error && "syscall" in error)) console.error(error.message);
  else console.error(error);
}

/**
 * The main function of each program.
 * @param {Parameters<typeof readArguments>[1]} kind what its command line is like
 * @param {OpenEnd} openEnd
 */
export async function main(kind, openEnd) {
  const native = openNative();
  try {
    await pingPong(native, openEnd, readArguments(process.argv.slice(2), kind));
  } catch (error) {
    report(error);
    process.exitCode = 1;
  } finally {
    // Closes the device and everything that was made of it.
    await native.close();
  }
}
