import type { ResolveContext, RouteAnswer, RouteProvider, RouteQuery, SaService } from "@verbena/core/sdk";
import { decodePathRecord, emptyPathRecord, encodePathRecord, pathRecordMask, SaAttribute } from "@verbena/ib";
import { recordsOf } from "../sa-status.js";
import { pathTemplate } from "./path-query.js";
import type { PortPaths } from "./port-paths.js";

/**
 * Paths from the SA: PathRecord Get for one path, GetTable for several. With prefetch the port's table is asked first; what is not
 * in it is asked for singly, so a destination that came after the table is found too.
 */
export class SaRoutes implements RouteProvider {
  readonly #sa: SaService;
  readonly #prefetched: PortPaths | undefined;

  constructor(sa: SaService, prefetched: PortPaths | undefined) {
    this.#sa = sa;
    this.#prefetched = prefetched;
  }

  async resolveRoute(query: RouteQuery, context: ResolveContext): Promise<RouteAnswer | undefined> {
    const known = await this.#fromTable(query);
    if (known !== undefined) return known;
    const template = pathTemplate(query);
    const response = await this.#sa.query({
      method: query.maxPaths > 1 ? "getTable" : "get",
      attributeId: SaAttribute.PATH_RECORD,
      componentMask: pathRecordMask(template),
      record: encodePathRecord(emptyPathRecord(template)),
      signal: context.signal,
      requestId: context.requestId,
    });
    const paths = recordsOf(response, "the path").map((bytes) => decodePathRecord(bytes));
    return paths.length === 0 ? undefined : { paths: paths.slice(0, query.maxPaths) };
  }

  async #fromTable(query: RouteQuery): Promise<RouteAnswer | undefined> {
    try {
      const path = await this.#prefetched?.find(query);
      return path && { paths: [path] };
    } catch {
      // No table is no reason to have no path: the single query tells what is wrong, if anything.
      return undefined;
    }
  }
}
