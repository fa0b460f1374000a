import { printable } from "@verbena/ib";
import Table from "cli-table3";

const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
} as const;

/** Aligned columns without borders, a header line first: readable, and easy to cut with awk. A cell is one line, whatever its text. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...header],
    chars: NO_BORDERS,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  table.push(...rows.map((row) => row.map(printable)));
  const lines = table.toString().split("\n");
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
