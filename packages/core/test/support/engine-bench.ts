import {
  decodePathRecord,
  emptyPathRecord,
  encodePathRecord,
  Gid,
  Guid,
  IpAddress,
  Lid,
  type PathRecord,
  PKey,
  pathRecordMask,
  SaAttribute,
  VerbenaError,
} from "@verbena/ib";
import type { HostAddress } from "@verbena/native";
import type { ClientIdentity, ResolveAnswer } from "../../src/engine/contract.js";
import { createEngine, type EngineHandle, type EngineOptions } from "../../src/engine/index.js";
import type { Destination } from "../../src/sdk/destination.js";
import type { RouteAnswer, RouteQuery } from "../../src/sdk/route.js";
import type { PortServices } from "../../src/sdk/services.js";
import { FakeNative, FakeProvider, VirtualClock } from "../../src/testing/index.js";

export const HOST = Guid.from(0x100001n);
export const HOST_2 = Guid.from(0x100002n);
export const client: ClientIdentity = { id: 1, kind: "unix" };
export const embedded: ClientIdentity = { id: 2, kind: "embed" };

export const gid = (guid: bigint | number): Gid => Gid.of(Gid.linkLocalPrefix, Guid.from(BigInt(guid)));
export const named = (text: string): Destination => ({ kind: "name", name: text.toLowerCase(), text });
export const ip = (text: string): Destination => ({ kind: "ip", address: IpAddress.parse(text), text });
export const toGid = (value: Gid): Destination => ({ kind: "gid", gid: value, text: Gid.format(value) });
export const toLid = (lid: number): Destination => ({ kind: "lid", lid: Lid.from(lid), text: String(lid) });
export const hostAddress = (address: string, guid = HOST, pkey = 0xffff): HostAddress => ({
  address,
  prefixLength: address.includes(":") ? 64 : 24,
  gid: gid(guid),
  pkey: PKey.from(pkey),
});

/** Asks the SA of the port, as provider-sa does. */
export async function routeBySa(
  query: RouteQuery,
  signal: AbortSignal,
  services: PortServices,
  requestId?: string,
): Promise<RouteAnswer | undefined> {
  const fields: Partial<PathRecord> = {
    sgid: query.sgid,
    ...(query.dgid === undefined ? {} : { dgid: query.dgid }),
    ...(query.dlid === undefined ? {} : { dlid: query.dlid }),
    ...(query.slid === undefined ? {} : { slid: query.slid }),
    pkey: query.pkey,
  };
  const response = await services.sa.query({
    method: "get",
    attributeId: SaAttribute.PATH_RECORD,
    componentMask: pathRecordMask(fields),
    record: encodePathRecord(emptyPathRecord(fields)),
    signal,
    ...(requestId === undefined ? {} : { requestId }),
  });
  const [record] = response.records;
  if (response.status === 0x0300 || record === undefined) return undefined;
  if (response.status !== 0) {
    throw new VerbenaError("VERBENA_PROVIDER_SA_STATUS", "refused", { details: { saStatus: response.status } });
  }
  return { paths: [decodePathRecord(record)] };
}

export interface Bench {
  readonly clock: VirtualClock;
  readonly native: FakeNative;
  /** Knows `nodeN` as GUID 0x200000 + N at LID 100 + N, and asks the SA for routes. */
  readonly provider: FakeProvider;
  readonly engine: EngineHandle;
}

export const nodeGuid = (n: number): Guid => Guid.from(0x200000n + BigInt(n));

/** A host with two ports on one adapter (the second one down), named `host1`, 192.0.2.1; 200 peers that the SA knows. */
export async function startBench(
  options: Partial<EngineOptions> = {},
  prepare?: (native: FakeNative) => void,
  { verbs = true } = {},
): Promise<Bench> {
  const clock = new VirtualClock();
  const native = new FakeNative({
    clock,
    verbs,
    devices: [
      {
        name: "sim0",
        nodeGuid: Guid.from(0x100000n),
        ports: [
          { port: 1, portGuid: HOST, lid: Lid.from(2), smLid: Lid.from(1) },
          { port: 2, portGuid: HOST_2, lid: Lid.from(3), smLid: Lid.from(1), state: "down" },
        ],
      },
    ],
  });
  for (let n = 0; n < 200; n += 1) native.sa.peers.push({ guid: nodeGuid(n), lid: Lid.from(100 + n) });
  native.addresses.add(hostAddress("192.0.2.1"));
  prepare?.(native);
  const provider = new FakeProvider();
  provider.address = (to) => {
    const number = /^node(\d+)$/.exec(to.kind === "name" ? to.name : "")?.[1] ?? /^10\.0\.0\.(\d+)$/.exec(to.text)?.[1];
    return Promise.resolve(number === undefined ? undefined : { gid: gid(nodeGuid(Number(number))) });
  };
  provider.route = (query, context, services) => routeBySa(query, context.signal, services, context.requestId);
  const opening = createEngine({
    native,
    clock,
    random: () => 0.5,
    providers: new Map([["fake", provider]]),
    chains: { address: ["fake"], route: ["fake"] },
    addressFile: [
      { kind: "name", text: "Host1", device: "sim0", port: 1, pkey: "default" },
      { kind: "name", text: "host1-2", device: "sim0", port: 2, pkey: "default" },
    ],
    sourceSelector: "fabric",
    ...options,
  });
  // It waits until its ports have been told whether they get the SA's notices.
  return { clock, native, provider, engine: await clock.run(opening) };
}

/** Resolves from `host1`, as a local client does. */
export function ask(bench: Pick<Bench, "engine">, to: string, extra: object = {}): Promise<ResolveAnswer> {
  return bench.engine.resolve({ source: named("host1"), destination: named(to), client, ...extra });
}

export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "resolved",
    (error: unknown) => (VerbenaError.is(error) ? error.code : String(error)),
  );
}
