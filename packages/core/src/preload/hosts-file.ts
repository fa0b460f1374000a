import { Gid, IpAddress } from "@verbena/ib";
import { isScopedAddress, SCOPE_REFUSED } from "../addresses/scoped-address.js";
import { coreError } from "../errors.js";
import { openRegular } from "../files/open-regular.js";
import { Destination } from "../sdk/destination.js";
import type { PreloadReport } from "./types.js";

/** One line of a hosts data file. */
export interface HostLine {
  readonly destination: Destination;
  readonly gid: Gid;
}

const MAX_WORD = 45;
/** A million hosts; it also bounds a single line. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Behind an address and a GID there are only comments. */
const MAX_LINE = 1_024;

/**
 * Lines of a hosts data file (`acm_hosts`): a name, IPv4 or IPv6 address and the GID behind it. Lines that cannot be read are
 * reported and skipped. Rejects with VERBENA_FILE_KIND, VERBENA_FILE_SIZE (nothing is read then), the system's error when the file cannot
 * be read, or the signal's reason.
 */
export async function* readHosts(file: string, report: PreloadReport, signal?: AbortSignal): AsyncGenerator<HostLine> {
  await using handle = await openRegular(file, signal);
  const { size } = await handle.stat();
  if (size > MAX_BYTES) throw coreError("VERBENA_FILE_SIZE", { details: { file, limit: MAX_BYTES } });
  let number = 0;
  for await (const line of handle.readLines({ encoding: "utf8", autoClose: false, end: MAX_BYTES })) {
    signal?.throwIfAborted();
    number += 1;
    const host = parseHost(line, (message) => {
      report(file, number, message);
    });
    if (host !== undefined) yield host;
  }
}

function parseHost(line: string, report: (message: string) => void): HostLine | undefined {
  if (line.startsWith("#")) return undefined;
  const [address, gidText] = line
    .slice(0, MAX_LINE)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (address === undefined || address.startsWith("#")) return undefined;
  if (gidText === undefined) {
    report(`${address} has no GID; the line is skipped`);
    return undefined;
  }
  if (address.length > MAX_WORD) {
    report(`address longer than ${String(MAX_WORD)} characters; the line is skipped`);
    return undefined;
  }
  if (isScopedAddress(address)) {
    report(`${address}: ${SCOPE_REFUSED}; the line is skipped`);
    return undefined;
  }
  const gid = Gid.tryParse(gidText);
  if (gid === undefined) {
    report(`"${gidText}" is not a GID; the line is skipped`);
    return undefined;
  }
  const ip = IpAddress.tryParse(address);
  return {
    gid,
    destination: ip === undefined ? Destination.name(address) : Destination.ip(ip, address),
  };
}
