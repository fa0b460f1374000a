import { IpAddress } from "@verbena/ib";
import { unmapped } from "../engine/ip.js";
import { rdsError } from "../errors.js";

/** The value of an option that is a list of IP addresses, each in the form in which ends carry it; `of`: whose option. Throws `VERBENA_RDS_OPTION`. */
export function addressesOption(of: string, name: string, list: readonly IpAddress[]): ReadonlySet<IpAddress> {
  if (Array.isArray(list)) return new Set(list.map((text) => addressOption(of, name, text as unknown)));
  throw rdsError("VERBENA_RDS_OPTION", { details: { of, problem: `${name} must be a list of IP addresses` } });
}

/** As {@link addressesOption}, of one. */
export function addressOption(of: string, name: string, text: unknown): IpAddress {
  const address = typeof text === "string" ? IpAddress.tryParse(text) : undefined;
  if (address !== undefined) return unmapped(address);
  const problem = `${name} takes IP addresses, and ${JSON.stringify(text)} is none`;
  throw rdsError("VERBENA_RDS_OPTION", { details: { of, problem } });
}
