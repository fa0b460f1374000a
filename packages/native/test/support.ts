import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Native, openNative } from "../src/index.js";
import { bindingPath } from "../src/load-binding.js";

/** The stub of libibumad and libibverbs that is built beside the addon (test/cc/stub-umad.cc). */
export const stubLibrary = join(dirname(bindingPath()), "libstub_rdma.so");

/** Native services on the stub. */
export const openStub = (): Native => openNative({ libibumad: stubLibrary, libibverbs: stubLibrary });

/** One step of test/data/rtnetlink/recorded.json. */
export interface RecordedStep {
  readonly step: string;
  readonly datagrams: readonly string[];
}

/** The recorded conversation with rtnetlink. */
export function recordedSteps(): readonly RecordedStep[] {
  const text = readFileSync(join(__dirname, "data/rtnetlink/recorded.json"), "utf8");
  return (JSON.parse(text) as { readonly steps: readonly RecordedStep[] }).steps;
}

/** Datagrams of one recorded step. */
export function recorded(step: string): readonly Buffer[] {
  const found = recordedSteps().find((candidate) => candidate.step === step);
  if (found === undefined) throw new Error(`no recorded step ${step}`);
  return found.datagrams.map((hex) => Buffer.from(hex, "hex"));
}

/** Takes `count` items of an iterator. */
export async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<readonly T[]> {
  const items: T[] = [];
  while (items.length < count) {
    const result = await iterator.next();
    if (result.done === true) break;
    items.push(result.value);
  }
  return items;
}
