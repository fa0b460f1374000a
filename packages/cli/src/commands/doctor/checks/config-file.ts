import type { Diagnostic, Severity } from "@verbena/core";
import { type Check, type Finding, finding, skipped } from "../check.js";
import type { ConfigSeen, FileSeen } from "../probe.js";

/** So many remarks on one file are shown. */
const MOST_REMARKS = 8;

interface FileCheck {
  readonly id: string;
  readonly title: string;
  readonly file: (config: ConfigSeen) => FileSeen | undefined;
  /** What a file that is not there means; a failure where it was asked for. */
  readonly absent: Finding;
}

/** A check of one configuration file: is it there, and what did its reader say? */
function fileCheck({ id, title, file, absent }: FileCheck): Check {
  return {
    id,
    group: "configuration",
    title,
    async run(probe) {
      const config = await probe.config();
      const seen = file(config);
      if (seen === undefined) return skipped("not used");
      const about = config.diagnostics.filter((one) => one.file === seen.path);
      const of = (wanted: Severity): readonly Diagnostic[] => about.filter(({ severity }) => severity === wanted);
      const remarks = [...of("error"), ...of("warning")];
      const findings = remarks.slice(0, MOST_REMARKS).map(({ severity, line, message, hint }): Finding => {
        const subject = line === undefined ? seen.path : `${seen.path}:${String(line)}`;
        const remedy = hint ?? `correct it in ${seen.path}; docs/configuration.md lists keys and values`;
        return finding(severity === "error" ? "fail" : "warn", message, { subject, remedy });
      });
      if (!seen.isThere) return findings.length > 0 ? findings : [{ ...absent, subject: seen.path }];
      if (findings.length === 0) return [finding("ok", "read without remarks", { subject: seen.path })];
      const more = remarks.length - findings.length;
      const rest = more > 0 ? [finding("warn", `${String(more)} more; see \`verbena config check\``)] : [];
      return [...findings, ...rest];
    },
  };
}

const absentData = finding("fail", "not there", {
  remedy: "write the file, or take its key out of the configuration",
});

/** The files a daemon reads at start, in reading order. */
export const configFiles: readonly Check[] = [
  fileCheck({
    id: "config-file",
    title: "verbena.yaml",
    file: ({ yaml, diagnostics }) =>
      yaml === undefined
        ? undefined
        : { path: yaml, isThere: !diagnostics.some(({ file, line }) => file === yaml && line === undefined) },
    absent: finding("fail", "cannot be read"),
  }),
  fileCheck({
    id: "options-file",
    title: "options file",
    file: ({ options }) => options,
    absent: finding("ok", "not there: defaults are used"),
  }),
  fileCheck({
    id: "address-file",
    title: "address file",
    file: ({ addresses }) => addresses,
    absent: finding("ok", "not there: the daemon writes the default one"),
  }),
  fileCheck({ id: "hosts-file", title: "hosts data file", file: ({ hosts }) => hosts, absent: absentData }),
  fileCheck({
    id: "route-dump",
    title: "OpenSM path dump",
    file: ({ routeDump }) => routeDump,
    absent: absentData,
  }),
];
