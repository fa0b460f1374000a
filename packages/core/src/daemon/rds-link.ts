import { createServer, type Server, type Socket } from "node:net";
import { IpAddress } from "@verbena/ib";
import type { DaemonConfig } from "../config/daemon-config.js";
import { builtInName } from "../config/providers.js";
import type { NativeHost } from "../embed/native-host.js";
import { openTransportSet, type TransportSet } from "../embed/transport-set.js";
import { coreError } from "../errors.js";
import { noMetrics, systemRandom } from "../host/default-services.js";
import type { ProviderPlace } from "../host/load-module.js";
import { OccasionalWarning } from "../sdk/occasional-warning.js";
import type { Clock, Logger } from "../sdk/services.js";
import { DescriptorRoom, descriptorOf } from "../server/descriptors.js";
import { groupNumber } from "../server/group-number.js";
import { listen, type OpenListener } from "../server/listen.js";
import { NodeListener } from "../server/node-listener.js";
import { refusePathInUse } from "../server/refuse-path-in-use.js";
import type { HostedRds, RdsHosting } from "./rds-hosting.js";

/** What hosting needs of the daemon. */
export interface RdsLinkOptions {
  readonly config: DaemonConfig;
  /** Where processes attach, unless the configuration says so. */
  readonly defaultPath: string;
  readonly host: NativeHost;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly folders: readonly ProviderPlace[];
  readonly hosting: RdsHosting | undefined;
}

/** Where nothing else is said, for there are sockets of the kernel without us. */
const DEFAULT_TRANSPORTS = ["loop", "tcp"];

/** The daemon's part that hosts RDS sockets of other processes. */
export class RdsLink {
  readonly path: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #transports: TransportSet;
  readonly #hosted: HostedRds;
  #listener: OpenListener | undefined;

  private constructor(path: string, transports: TransportSet, hosted: HostedRds, { clock, logger }: RdsLinkOptions) {
    this.path = path;
    this.#transports = transports;
    this.#hosted = hosted;
    const room = new DescriptorRoom(clock);
    const text = "processes cannot attach: the process's limit on open files is reached";
    const hasNoDescriptor = new OccasionalWarning(text, clock, logger);
    this.#server = createServer((connection) => {
      if (!room.has(descriptorOf(connection))) {
        connection.destroy();
        hasNoDescriptor.happened({ limit: room.limit });
        return;
      }
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      hosted.accept(connection);
    });
  }

  /**
   * Opens what the configuration asks for: nothing without `rds.attach`. Rejects with VERBENA_PROVIDER_… (transports),
   * VERBENA_SERVER_LISTEN, VERBENA_SERVER_PATH or VERBENA_SERVER_PATH_LENGTH.
   */
  static async open(options: RdsLinkOptions): Promise<RdsLink | undefined> {
    const { config, defaultPath, hosting, logger } = options;
    const { attach } = config.rds;
    if (attach === undefined) return undefined;
    if (hosting === undefined) {
      logger.warn("rds.attach: this program hosts no RDS sockets");
      return undefined;
    }
    const path = attach.path ?? defaultPath;
    const transports = await openTransports(options);
    let hosted: HostedRds | undefined;
    try {
      const { addresses, maxSockets, maxBufferSize } = attach;
      hosted = await hosting({
        ...servicesOf(options),
        transports: transports.transports,
        ...(addresses === undefined ? {} : { addresses: addresses.map((address) => IpAddress.parse(address)) }),
        maxSockets,
        maxBufferSize,
      });
      const link = new RdsLink(path, transports, hosted, options);
      await link.#listen(attach);
      return link;
    } catch (error) {
      await hosted?.close();
      await transports.close();
      throw error;
    }
  }

  /** Sockets of other processes. */
  get socketCount(): number {
    return this.#hosted.socketCount;
  }

  /** Takes nobody any more and closes all sockets; those who had them try to attach again. */
  async close(): Promise<void> {
    this.#listener?.withdraw();
    this.#server.close();
    await this.#hosted.close();
    for (const connection of this.#connections) connection.destroy();
    await this.#transports.close();
  }

  async #listen({ mode, group }: NonNullable<DaemonConfig["rds"]["attach"]>): Promise<void> {
    const gid = group === undefined ? undefined : groupNumber(group);
    if (group !== undefined && gid === undefined) {
      const reason = `this host has no group ${JSON.stringify(group)} (rds.attach.group)`;
      throw coreError("VERBENA_SERVER_LISTEN", {
        details: { where: this.path, reason },
        hint: "make the group (groupadd --system NAME), or name one of /etc/group, or its number, in rds.attach.group",
      });
    }
    // The daemon's lock does not keep others away: it goes by the lock file, and this path may be anywhere.
    await refusePathInUse(this.path);
    this.#listener = await listen(new NodeListener(this.#server), {
      kind: "unix",
      path: this.path,
      mode: Number.parseInt(mode, 8),
      ...(gid === undefined ? {} : { gid }),
    });
  }
}

function servicesOf({ clock, logger }: RdsLinkOptions) {
  return { clock, random: systemRandom, logger, metrics: noMetrics };
}

function openTransports(options: RdsLinkOptions): Promise<TransportSet> {
  const { config, host, folders } = options;
  const { transports = DEFAULT_TRANSPORTS, options: further } = config.rds;
  const providers = config.providers.filter((entry) => builtInName(entry) === undefined);
  return openTransportSet(
    { native: host.native, ...servicesOf(options) },
    {
      config: {
        providers: providers.map(({ package: name, options: given, isOptional }) => ({
          package: name,
          options: { ...given },
          optional: isOptional,
        })),
        rds: { transports: [...transports], options: { ...further } },
      },
      folders: [config.folder, ...folders],
    },
  );
}
