import { Gid, IpAddress, Lid } from "@verbena/ib";
import { isScopedAddress, SCOPE_REFUSED } from "../addresses/scoped-address.js";
import { coreError } from "../errors.js";
import { Destination } from "../sdk/destination.js";

/** How a text is to be understood. `auto` decides by its form. */
export type DestinationFormat = "auto" | "name" | "ip" | "gid" | "lid";

const PREFIX = /^(name|ip|gid|lid):(.+)$/s;
const MAX_NAME = 63;

/**
 * Makes a destination of a text. `auto`: `name:`, `ip:`, `gid:` or `lid:` in front says what follows; a number (decimal or 0x) is a
 * LID; IPv4 and IPv6 texts are IPs, but IPv6 texts of the link-local prefix fe80::/10 are GIDs, since that is the default prefix of
 * InfiniBand subnets; everything else is a name. Throws VERBENA_RESOLVE_DESTINATION_SYNTAX.
 */
export function parseDestination(text: string, format: DestinationFormat = "auto"): Destination {
  if (format !== "auto") return parseAs(text, text, format);
  const prefixed = PREFIX.exec(text);
  if (prefixed?.[1] !== undefined && prefixed[2] !== undefined && !isAddress(text)) {
    return parseAs(prefixed[2], prefixed[2], prefixed[1] as Exclude<DestinationFormat, "auto">);
  }
  if (/^(\d+|0x[0-9a-f]+)$/i.test(text)) return parseAs(text, text, "lid");
  const gid = text.includes(":") ? Gid.tryParse(text) : undefined;
  if (gid !== undefined && Gid.isLinkLocal(gid)) return Destination.gid(gid, text);
  return parseAs(text, text, IpAddress.tryParse(text) === undefined ? "name" : "ip");
}

/** Text from which {@link parseDestination} makes the same destination again. */
export function formatDestination(destination: Destination): string {
  switch (destination.kind) {
    case "name":
      return `name:${destination.name}`;
    case "ip":
      return `ip:${destination.address}`;
    case "gid":
      return `gid:${Gid.format(destination.gid)}`;
    case "lid":
      return `lid:${Lid.format(destination.lid)}`;
    default: {
      const never: never = destination;
      return never;
    }
  }
}

function isAddress(text: string): boolean {
  return IpAddress.tryParse(text) !== undefined || Gid.tryParse(text) !== undefined;
}

function parseAs(value: string, text: string, format: Exclude<DestinationFormat, "auto">): Destination {
  if (isScopedAddress(value)) throw bad(text, SCOPE_REFUSED);
  switch (format) {
    case "name":
      if (value === "" || Buffer.byteLength(value) > MAX_NAME || value.includes("\0")) {
        throw bad(text, `a name has 1 to ${String(MAX_NAME)} bytes`);
      }
      return Destination.name(text);
    case "ip": {
      const address = IpAddress.tryParse(value);
      if (address === undefined) throw bad(text, "not an IPv4 or IPv6 address");
      return Destination.ip(address, text);
    }
    case "gid": {
      const gid = Gid.tryParse(value);
      if (gid === undefined || gid === Gid.zero) throw bad(text, "not a GID such as fe80::2:c903:0:1");
      if (Gid.isMulticast(gid)) throw bad(text, "a multicast GID names a group, not a port to find a path to");
      return Destination.gid(gid, text);
    }
    case "lid": {
      const lid = Lid.tryParse(value);
      if (lid === undefined || !Lid.isUnicast(lid)) throw bad(text, "a unicast LID is 1 to 49151");
      return Destination.lid(lid, text);
    }
    default: {
      const never: never = format;
      return never;
    }
  }
}

function bad(text: string, what: string): Error {
  return coreError("VERBENA_RESOLVE_DESTINATION_SYNTAX", { details: { text, what } });
}
