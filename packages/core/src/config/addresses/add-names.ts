import { PKey } from "@verbena/ib";
import type { AddressConfig } from "../daemon-config.js";
import type { ConfigOutput } from "../schema.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import { AddressList } from "./address-list.js";

/** Where the names stand. */
interface NamesPlace {
  readonly file: string;
  readonly line: (index: number) => number | undefined;
  readonly sink: DiagnosticSink;
}

/** Puts the names of `verbena.yaml` behind those of the address file. With names of its own a host needs no default ones. */
export function addNames(
  addresses: AddressConfig,
  names: ConfigOutput["addresses"]["names"],
  { file, line, sink }: NamesPlace,
): AddressConfig {
  if (names === undefined) return addresses;
  const list = new AddressList(addresses);
  const nothing = (): void => undefined;
  for (const known of addresses.lines) list.add(known, nothing);
  for (const [index, { name, device, port, pkey }] of names.entries()) {
    const at = line(index);
    const where = { file, ...(at === undefined ? {} : { line: at }) };
    list.add(
      { line: at ?? 0, text: name, device, port, pkey: pkey === "default" ? pkey : PKey.from(pkey) },
      (message, hint) => {
        sink.add({ severity: "warning", ...where, message, ...(hint === undefined ? {} : { hint }) });
      },
    );
  }
  return { ...addresses, isFound: true, lines: list.lines };
}
