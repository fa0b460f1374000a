import { type CheckReport, type DoctorReport, type Finding, GROUPS } from "./check.js";

/** The report for people: a heading per group, a line per finding, its remedy below it. */
export function renderReport({ checks, counts }: DoctorReport): string {
  const width = Math.max(0, ...checks.map(({ title }) => title.length));
  const blocks = GROUPS.map((group) => {
    const lines = checks.filter((check) => check.group === group).flatMap((check) => checkLines(check, width));
    return lines.length === 0 ? "" : `${[group, ...lines].join("\n")}\n`;
  });
  const { ok, warn, fail, skip } = counts;
  const summary = [
    `${String(ok)} ok`,
    `${String(warn)} ${warn === 1 ? "warning" : "warnings"}`,
    `${String(fail)} ${fail === 1 ? "failure" : "failures"}`,
    `${String(skip)} not applicable`,
  ];
  return [...blocks.filter((block) => block !== ""), `${summary.join(", ")}\n`].join("\n");
}

function checkLines({ title, findings }: CheckReport, width: number): readonly string[] {
  return findings.flatMap((one, index) => findingLines(one, index === 0 ? title : "", width));
}

function findingLines({ verdict, subject, seen, remedy }: Finding, title: string, width: number): readonly string[] {
  const what = subject === undefined ? seen : `${subject}: ${seen}`;
  const line = `  ${verdict.padEnd(4)}  ${title.padEnd(width)}  ${what}`;
  return remedy === undefined ? [line] : [line, `${" ".repeat(8)}${" ".repeat(width)}  → ${remedy}`];
}
