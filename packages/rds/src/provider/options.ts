import { IpAddress } from "@verbena/ib";
import * as v from "valibot";

/** Transports that come with this package, by the names of the configuration. */
const TRANSPORT_NAMES = ["loop", "kernel", "tcp"] as const;

const address = v.pipe(
  v.string(),
  v.transform((text) => IpAddress.tryParse(text)),
  v.custom<IpAddress>((value) => value !== undefined, "must be an IP address"),
);

const count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));

const tcp = v.strictObject({
  port: v.pipe(
    v.optional(count(65_535), 16_385),
    v.description("listened on at each bound address, and connected to at peers"),
  ),
  addresses: v.pipe(
    v.optional(v.array(address)),
    v.description("local addresses served; default: all of the host but loopback"),
  ),
  peers: v.pipe(v.optional(v.array(address)), v.description("peers that are spoken with; default: all")),
  maxMessageSize: v.pipe(
    v.optional(count(2 ** 32 - 1), 1 << 20),
    v.description("longest payload taken, bytes; a peer that announces more is cut off"),
  ),
  maxAcceptRate: v.pipe(
    v.optional(count(1_000_000), 1000),
    v.description("connections accepted per second at each local address; further ones are turned away"),
  ),
  maxAcceptRatePerPeer: v.pipe(v.optional(count(1_000_000), 100), v.description("those of one peer")),
});

/** Options of the provider: `transports` and `options` of the section `rds` of `verbena.yaml`. */
export const optionsSchema = v.strictObject({
  transports: v.pipe(
    v.optional(v.array(v.picklist(TRANSPORT_NAMES, `must be one of ${TRANSPORT_NAMES.join(", ")}`)), [
      "loop",
      "kernel",
    ]),
    v.description("transports that serve sockets, in the order in which they are asked"),
  ),
  tcp: v.pipe(v.optional(tcp, {}), v.description("of the transport `tcp`")),
  forceBuffers: v.pipe(
    v.optional(v.boolean(), false),
    v.description("kernel: buffer sizes beyond the system's limits, which needs CAP_NET_ADMIN"),
  ),
});

/** {@link optionsSchema} after validation. */
export type RdsProviderOptions = v.InferOutput<typeof optionsSchema>;
