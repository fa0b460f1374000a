import {
  ACM_MAX_ENDPOINT_ADDRESSES,
  ACM_OPCODE,
  ACM_STATUS,
  type AcmEndpointRequest,
  encodeAcmErrorReply,
  encodeEndpointReply,
} from "@verbena/ib";
import type { ResolverEngine } from "../engine/contract.js";
import type { Logger } from "../sdk/services.js";

/** Bytes of a text in the reply; the 64th is the NUL that C programs need. */
const TEXT_BYTES = 63;

/** Answers an endpoint query: the n-th endpoint (from 1) of those on the port asked for, or of all (port 0). */
export function answerEndpoint(request: AcmEndpointRequest, engine: ResolverEngine, logger: Logger): Buffer {
  const { header, index, port } = request;
  const candidates = engine.endpoints().filter((endpoint) => port === 0 || endpoint.port === port);
  const endpoint = candidates[index - 1];
  if (endpoint === undefined) {
    const opcode = header.opcode | ACM_OPCODE.ACK;
    return encodeAcmErrorReply({
      opcode,
      status: ACM_STATUS.EINVAL,
      tid: header.tid,
      data0: index,
    });
  }
  if (endpoint.addresses.length > ACM_MAX_ENDPOINT_ADDRESSES) {
    logger.warn("endpoint has more addresses than its reply can hold", {
      endpoint: endpoint.key,
      addresses: endpoint.addresses.length,
      shown: ACM_MAX_ENDPOINT_ADDRESSES,
    });
  }
  return encodeEndpointReply({
    tid: header.tid,
    index,
    guid: endpoint.nodeGuid,
    port: endpoint.port,
    physicalPortCount: endpoint.portCount,
    pkey: endpoint.pkey,
    provider: clip(endpoint.provider),
    addresses: endpoint.addresses.slice(0, ACM_MAX_ENDPOINT_ADDRESSES).map(clip),
  });
}

/** At most 63 bytes of UTF-8, no character cut in two, nothing behind a NUL. */
function clip(text: string): string {
  const [head = ""] = text.split("\0", 1);
  if (Buffer.byteLength(head) <= TEXT_BYTES) return head;
  const bytes = Buffer.from(head);
  let end = TEXT_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
