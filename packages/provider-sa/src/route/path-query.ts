import type { RouteQuery } from "@verbena/core/sdk";
import type { PathRecord } from "@verbena/ib";

/** The PathRecord that asks the SA what a route query asks; the fields set here are the ones that count. */
export function pathTemplate(query: RouteQuery): Partial<PathRecord> {
  return {
    ...(query.serviceId === undefined ? {} : { serviceId: query.serviceId }),
    ...(query.dgid === undefined ? {} : { dgid: query.dgid }),
    sgid: query.sgid,
    ...(query.dlid === undefined ? {} : { dlid: query.dlid }),
    ...(query.slid === undefined ? {} : { slid: query.slid }),
    ...(query.trafficClass === undefined ? {} : { tclass: query.trafficClass }),
    ...(query.reversible ? { reversible: true } : {}),
    ...(query.maxPaths > 1 ? { numbPath: query.maxPaths } : {}),
    pkey: query.pkey,
    ...(query.qosClass === undefined ? {} : { qosClass: query.qosClass }),
    ...(query.sl === undefined ? {} : { sl: query.sl }),
  };
}

/** Whether a query asks for nothing but a pair: only then a table of plain paths can answer it. */
export function isPlain(query: RouteQuery): boolean {
  return (
    query.maxPaths <= 1 &&
    query.serviceId === undefined &&
    query.trafficClass === undefined &&
    query.sl === undefined &&
    query.qosClass === undefined
  );
}
