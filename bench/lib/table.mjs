/** Markdown table, numbers aligned for the eye. */
export function table(head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const format = (line) => `| ${line.map((cell, column) => cell.padStart(widths[column])).join(" | ")} |\n`;
  const [first, ...others] = lines.map(format);
  const rule = `| ${widths.map((width) => `${"-".repeat(width - 1)}:`).join(" | ")} |\n`;
  return [first, rule, ...others].join("");
}
