import { Gid } from "@verbena/ib";
import type { AddressValue } from "./address-question.js";
import type { LocalEndpoint } from "./local-endpoint.js";

/**
 * What of an address outlives another SM, or one that has forgotten: the GID, as long as it is of the subnet that the port is in. Its LID, its path and
 * what a provider has noted beside it may lead elsewhere by now. An address without a GID is lost.
 */
export function keptAddress({ answer }: AddressValue, endpoint: LocalEndpoint): AddressValue | undefined {
  const gid = answer.gid ?? answer.path?.dgid;
  if (gid === undefined) return undefined;
  const isHere = endpoint.endpoint.port.gids.some((own) => Gid.prefix(own) === Gid.prefix(gid));
  return isHere ? { answer: { gid }, routeKey: undefined } : undefined;
}
