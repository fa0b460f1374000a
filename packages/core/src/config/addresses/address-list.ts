import { IpAddress, PKey } from "@verbena/ib";
import { isScopedAddress, SCOPE_REFUSED } from "../../addresses/scoped-address.js";

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

/** Called with why an entry is passed over, and what to write instead. */
type Skip = (message: string, hint?: string) => void;

/** Usable names of local endpoints, in order, each endpoint's once. */
export class AddressList {
  readonly #found = new Map<string, AddressLine>();

  constructor(private readonly options: AddressFileOptions) {}

  get lines(): readonly AddressLine[] {
    return [...this.#found.values()];
  }

  /** Takes an entry, or calls `skip`. */
  add(entry: Omit<AddressLine, "kind">, skip: Skip): void {
    const { text, device, port, pkey } = entry;
    if (text.length > MAX_ADDRESS || device.length > MAX_DEVICE) {
      skip(
        `address (at most ${String(MAX_ADDRESS)}) or device (at most ${String(MAX_DEVICE)} characters) too long; the line is ignored`,
      );
      return;
    }
    if (isScopedAddress(text)) {
      skip(`${text}: ${SCOPE_REFUSED}; the line is ignored`);
      return;
    }
    const kind = IpAddress.tryParse(text) === undefined ? "name" : "ip";
    if (kind === "ip" && !this.options.supportIps) {
      skip(
        `IP address ${text} is ignored: addresses come from the interfaces`,
        "set support_ips_in_addr_cfg 1 to use it",
      );
      return;
    }
    const partition = pkey === "default" ? pkey : PKey.base(pkey);
    const key = [text.toLowerCase(), device.toLowerCase(), port, partition].join(" ");
    const earlier = this.#found.get(key);
    if (earlier !== undefined) {
      skip(`${text} is already in line ${String(earlier.line)} for this endpoint; the line is ignored`);
      return;
    }
    this.#found.set(key, { ...entry, kind });
  }
}
