import { Mtu, Rate } from "@verbena/ib";
import * as v from "valibot";

const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

const rateGbps = v.pipe(
  v.number(),
  v.check(
    (gbps) => rateOf(gbps) !== undefined,
    "must be a rate of InfiniBand in Gb/s: 2 (stands for 2.5), 5, 10, 14 … 1200",
  ),
);

const mtuBytes = v.pipe(
  v.number(),
  v.check((bytes) => Mtu.fromBytes(bytes) !== undefined, "must be 256, 512, 1024, 2048 or 4096"),
);

const group = v.strictObject({
  rateGbps,
  mtuBytes,
  sl: v.optional(count(0, 15), 0),
  trafficClass: v.optional(count(0, 255), 0),
});

/** Options of the provider, the section `options` of its entry in `verbena.yaml`; ibacm's keys arrive here too. */
export const optionsSchema = v.strictObject({
  minRateGbps: v.pipe(
    v.optional(rateGbps, 10),
    v.description("rate of the base group, Gb/s, the same on all hosts (`min_rate`); 2 stands for 2.5"),
  ),
  minMtuBytes: v.pipe(
    v.optional(mtuBytes, 2048),
    v.description("MTU of the base group, bytes, the same on all hosts (`min_mtu`)"),
  ),
  portGroup: v.pipe(
    v.optional(v.boolean(), false),
    v.description("true: also join the group of the port's own rate and MTU, as ibacm does with `route_prot acm`"),
  ),
  groups: v.pipe(
    v.optional(v.array(group), []),
    v.description(
      "further groups: `rateGbps`, `mtuBytes`, `sl` (default 0), `trafficClass` (default 0); those that the port can carry are joined",
    ),
  ),
  resolveDepth: v.pipe(
    v.optional(count(1, 4096), 64),
    v.description(
      "requests an endpoint has just sent at once (`resolve_depth`); one that nobody answers makes room for others",
    ),
  ),
  sendDepth: v.pipe(
    v.optional(count(1, 4096), 64),
    v.description("responses in an endpoint's send queue at once (`send_depth`)"),
  ),
  recvDepth: v.pipe(v.optional(count(1, 16_384), 1024), v.description("receive buffers of an endpoint (`recv_depth`)")),
  timeoutMs: v.pipe(
    v.optional(count(1, 3_600_000), 2000),
    v.description("with `retries` and the subnet time-out, how long an address is asked for, milliseconds (`timeout`)"),
  ),
  retries: v.pipe(
    v.optional(count(0, 1000), 2),
    v.description("an address is asked for (`retries` + 1) × (subnet time-out + `timeoutMs`) at most (`retries`)"),
  ),
  announce: v.pipe(
    v.optional(v.boolean(), true),
    v.description("true: tell the base group of an address that has come, so that peers forget what they knew of it"),
  ),
  maxPeers: v.pipe(
    v.optional(count(1, 10_000_000), 65_536),
    v.description("peers an endpoint remembers; the one unheard longest goes first"),
  ),
});

/** {@link optionsSchema} after validation. */
export type AcmProviderOptions = v.InferOutput<typeof optionsSchema>;

/** Rate code of a number of Gb/s; 2 stands for 2.5, as in ibacm's files. */
export function rateOf(gbps: number): Rate | undefined {
  return Rate.fromMinRateOption(gbps) ?? Rate.fromGbps(gbps);
}
