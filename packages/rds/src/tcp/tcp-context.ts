import type { Clock, Logger, NativeServices, Random, TransportAddress } from "@verbena/core/sdk";
import type { ConnectionParts } from "./tcp-connection.js";
import type { TcpSettings } from "./tcp-options.js";

/** What the TCP transport needs of its surroundings; `createHost()` of `@verbena/core` gives all of it. */
export interface TcpHost {
  readonly native: Pick<NativeServices, "tcp">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What all links of one local address share. */
export interface TcpContext extends TcpHost {
  readonly local: TransportAddress;
  readonly options: TcpSettings;
  readonly parts: ConnectionParts;
}
