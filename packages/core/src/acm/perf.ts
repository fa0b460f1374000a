import {
  ACM_COUNTERS,
  ACM_FLAG,
  ACM_OPCODE,
  ACM_STATUS,
  type AcmPerfRequest,
  encodeAcmErrorReply,
  encodePerfReply,
} from "@verbena/ib";
import type { AcmCounters, ResolverEngine } from "../engine/contract.js";
import { destinationOf, isAddressType } from "./address.js";
import { type AcmEdgeCounters, aggregateCounters } from "./edge-counters.js";

/**
 * Answers a PERF query: all together, one endpoint by its number (from 1, in the order of the endpoint list, whatever port it is
 * on), or the endpoint that owns the address of a SOURCE record.
 */
export function answerPerf(request: AcmPerfRequest, engine: ResolverEngine, edge: AcmEdgeCounters): Buffer {
  const { endpointIndex, header } = request;
  const counters = findCounters(request, engine, edge);
  if (counters === undefined) {
    return encodeAcmErrorReply({
      opcode: header.opcode | ACM_OPCODE.ACK,
      status: ACM_STATUS.ESRCADDR,
      tid: header.tid,
      data1: endpointIndex,
    });
  }
  const values = ACM_COUNTERS.map((name) => counters[name]);
  return encodePerfReply({ tid: header.tid, endpointIndex, counters: values });
}

function findCounters(
  { endpointIndex, records: [named] }: AcmPerfRequest,
  engine: ResolverEngine,
  edge: AcmEdgeCounters,
): AcmCounters | undefined {
  if (named !== undefined && (named.flags & ACM_FLAG.SOURCE) === 0) return aggregateCounters(edge, engine);
  if (endpointIndex > 0) return engine.endpoints()[endpointIndex - 1]?.counters;
  if (named === undefined) return aggregateCounters(edge, engine);
  return isAddressType(named.type) ? engine.endpointOf(destinationOf(named))?.counters : undefined;
}
