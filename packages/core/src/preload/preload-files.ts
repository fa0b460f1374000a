import { emptyPathRecord, Gid, type Guid, type Mtu, type Rate } from "@verbena/ib";
import type { Endpoint } from "../sdk/endpoint.js";
import type { Logger } from "../sdk/services.js";
import { readHosts } from "./hosts-file.js";
import { type DumpRoute, OpensmDump } from "./opensm-dump.js";
import type { PreloadEntry, PreloadReport, PreloadSource } from "./types.js";

/** Which files there are. */
export interface PreloadFilesOptions {
  readonly hosts?: string;
  readonly routeDump?: string;
  readonly logger: Logger;
  /** Ends the walk over the dump, which serves all endpoints. */
  readonly signal?: AbortSignal;
}

/** Reported lines per file and reading; a broken file must not fill the log. */
const MAX_REPORTS = 20;

/** The preload files of the configuration. Problems are logged, never fatal. */
export class PreloadFiles implements PreloadSource {
  readonly #options: PreloadFilesOptions;
  #dump: Promise<OpensmDump | undefined> | undefined;

  constructor(options: PreloadFilesOptions) {
    this.#options = options;
  }

  async *entries(endpoint: Endpoint, signal?: AbortSignal): AsyncGenerator<PreloadEntry> {
    yield* this.#routes(endpoint, signal);
    yield* this.#addresses(signal);
  }

  async *#routes(endpoint: Endpoint, signal: AbortSignal | undefined): AsyncGenerator<PreloadEntry> {
    const { routeDump, logger } = this.#options;
    const gid = endpoint.port.gids[0];
    if (routeDump === undefined || gid === undefined) return;
    const dump = await this.#currentDump(routeDump);
    if (dump === undefined) return;
    let count = 0;
    try {
      for await (const routes of dump.routes({ guid: Gid.guid(gid) as Guid, lid: endpoint.port.lid }, signal)) {
        count += routes.length;
        for (const route of routes) yield routeEntry(route, endpoint, gid);
      }
    } catch (error) {
      signal?.throwIfAborted();
      logger.error("path dump cannot be read", { file: routeDump, error: String(error) });
    }
    if (count === 0) logger.warn("path dump has no paths from this port", { file: routeDump, endpoint: endpoint.key });
    else logger.info("paths preloaded", { file: routeDump, endpoint: endpoint.key, count });
  }

  async *#addresses(signal: AbortSignal | undefined): AsyncGenerator<PreloadEntry> {
    const { hosts, logger } = this.#options;
    if (hosts === undefined) return;
    try {
      for await (const { destination, gid } of readHosts(hosts, limitedReport(logger), signal)) {
        yield { kind: "address", destination, gid };
      }
    } catch (error) {
      signal?.throwIfAborted();
      logger.error("hosts data file cannot be read", { file: hosts, error: String(error) });
    }
  }

  async #currentDump(file: string): Promise<OpensmDump | undefined> {
    const known = await this.#dump;
    const isCurrent = known !== undefined && (await known.isCurrent().catch(() => false));
    if (!isCurrent) {
      if (known !== undefined) this.#dump = undefined;
      this.#dump ??= this.#openDump(file);
    }
    return await this.#dump;
  }

  /** One walk over the file serves all endpoints, and does not end with the endpoint that happened to come first. */
  async #openDump(file: string): Promise<OpensmDump | undefined> {
    const { logger, signal } = this.#options;
    try {
      return await OpensmDump.open(file, limitedReport(logger), signal);
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      logger.error("path dump cannot be read", { file, error: String(error) });
      return undefined;
    }
  }
}

function limitedReport(logger: Logger): PreloadReport {
  let count = 0;
  return (file, line, message) => {
    count += 1;
    if (count > MAX_REPORTS) return;
    logger.warn(`${file}${line === undefined ? "" : `:${String(line)}`}: ${message}`);
    if (count === MAX_REPORTS) logger.warn(`${file}: further lines are not reported`);
  };
}

function routeEntry(route: DumpRoute, endpoint: Endpoint, gid: Gid): PreloadEntry {
  const { port, pkey } = endpoint;
  const isLocal = route.dlid === port.lid;
  return {
    kind: "route",
    isLocal,
    path: emptyPathRecord({
      dgid: Gid.of(Gid.prefix(gid), route.guid),
      sgid: gid,
      dlid: route.dlid,
      slid: port.lid,
      reversible: true,
      pkey,
      sl: route.sl,
      mtu: route.mtu as Mtu,
      rate: route.rate as Rate,
      packetLifeTime: isLocal ? 0 : port.subnetTimeout,
    }),
  };
}
