import { IpAddress, PKey } from "@verbena/ib";
import { atoi } from "../text/atoi.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import { configLines } from "../text/lines.js";

/** One usable line of an address file: which local endpoint carries a name or an address. */
export interface AddressLine {
  /** From 1; 0 for a line that stands in no file. */
  readonly line: number;
  readonly kind: "name" | "ip";
  /** As typed. */
  readonly text: string;
  /** Device name as typed; compared without case. */
  readonly device: string;
  /** From 1. */
  readonly port: number;
  /** `default` = entry 0 of the port's P_Key table. */
  readonly pkey: PKey | "default";
}

/** What the reader is told. */
export interface AddressFileOptions {
  /** Take lines with IP addresses too. */
  readonly supportIps: boolean;
}

const MAX_ADDRESS = 46;
const MAX_DEVICE = 31;

/**
 * Reads the text of an `ibacm_addr.cfg`: address, device, port and P_Key per line. A line that cannot be used is skipped with a
 * warning, and so is one that repeats an earlier one.
 */
export function readAddresses(
  text: string,
  file: string,
  sink: DiagnosticSink,
  options: AddressFileOptions,
): readonly AddressLine[] {
  const found = new Map<string, AddressLine>();
  for (const { number, words } of configLines(text, file, sink)) {
    const skip = (message: string, hint?: string): void => {
      sink.add({ severity: "warning", file, line: number, message, ...(hint === undefined ? {} : { hint }) });
    };
    const [address, device, portText, pkeyText] = words;
    if (address?.startsWith("#")) continue;
    if (address === undefined || device === undefined || portText === undefined || pkeyText === undefined) {
      skip("a line needs four words: address, device, port, P_Key; it is ignored");
      continue;
    }
    if (address.length > MAX_ADDRESS || device.length > MAX_DEVICE) {
      skip(
        `address (at most ${String(MAX_ADDRESS)}) or device (at most ${String(MAX_DEVICE)} characters) too long; the line is ignored`,
      );
      continue;
    }
    const kind = IpAddress.tryParse(address) === undefined ? "name" : "ip";
    if (kind === "ip" && !options.supportIps) {
      skip(
        `IP address ${address} is ignored: addresses come from the interfaces`,
        "set support_ips_in_addr_cfg 1 to use it",
      );
      continue;
    }
    const port = atoi(portText);
    if (!port.exact || port.value < 1 || port.value > 255) {
      skip(`port "${portText}" is not a number from 1 to 255; the line is ignored`);
      continue;
    }
    const pkey = readPkey(pkeyText);
    if (pkey === undefined) {
      skip(`P_Key "${pkeyText}" is neither \`default\` nor hexadecimal; the line is ignored`);
      continue;
    }
    const key = [
      address.toLowerCase(),
      device.toLowerCase(),
      port.value,
      pkey === "default" ? pkey : PKey.base(pkey),
    ].join(" ");
    const earlier = found.get(key);
    if (earlier !== undefined) {
      skip(`${address} is already in line ${String(earlier.line)} for this endpoint; the line is ignored`);
      continue;
    }
    found.set(key, { line: number, kind, text: address, device, port: port.value, pkey });
  }
  return [...found.values()];
}

function readPkey(text: string): PKey | "default" | undefined {
  if (text.toLowerCase() === "default") return "default";
  return PKey.tryParse(text);
}
