import { PKey } from "@verbena/ib";
import { atoi } from "../text/atoi.js";
import type { DiagnosticSink } from "../text/diagnostic.js";
import { configLines } from "../text/lines.js";
import { type AddressFileOptions, type AddressLine, AddressList } from "./address-list.js";

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
  const list = new AddressList(options);
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
    list.add({ line: number, text: address, device, port: port.value, pkey }, skip);
  }
  return list.lines;
}

function readPkey(text: string): PKey | "default" | undefined {
  if (text.toLowerCase() === "default") return "default";
  return PKey.tryParse(text);
}
