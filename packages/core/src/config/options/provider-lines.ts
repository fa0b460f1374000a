import type { DiagnosticSink } from "../text/diagnostic.js";
import type { ConfigLine } from "../text/lines.js";

/** The plug-in every ibacm has, and what ours calls it. */
export const BUILT_IN_PROVIDER = "ibacmp";

const NPM_WAY = "providers are npm packages: list them under `providers:` in verbena.yaml";

/** Reads `provider NAME PREFIX|default`; a C plug-in cannot be loaded, so only the built-in name has an effect. */
export function readProviderLine(line: ConfigLine, file: string, sink: DiagnosticSink): void {
  const [, name = "", target = ""] = line.words;
  const at = { file, line: line.number, key: "provider" } as const;
  if (name.toLowerCase() !== BUILT_IN_PROVIDER) {
    sink.add({
      ...at,
      severity: "warning",
      message: `provider "${name}" names a C plug-in, which is not loaded`,
      hint: NPM_WAY,
    });
    return;
  }
  const isPrefix = /^(0x)?[0-9a-f]{1,16}$/i.test(target);
  if (target.toLowerCase() !== "default" && !isPrefix) {
    sink.add({
      ...at,
      severity: "warning",
      message: `"${target}" is neither \`default\` nor a 64-bit subnet prefix; the line is ignored`,
      hint: "write `provider ibacmp default`",
    });
    return;
  }
  sink.add({
    ...at,
    severity: "note",
    message: `provider ibacmp stands for @verbena/provider-acm, and for @verbena/provider-sa where that is not installed${
      isPrefix ? `; the subnet prefix ${target} is not used: it serves every port` : ""
    }`,
  });
}

/** Reads `provider_lib_path DIR`, which has no meaning here. */
export function readProviderLibPath(line: ConfigLine, file: string, sink: DiagnosticSink): void {
  sink.add({
    severity: "warning",
    file,
    line: line.number,
    key: "provider_lib_path",
    message: `provider_lib_path "${line.words[1] ?? ""}" is not used: C plug-ins are not loaded`,
    hint: NPM_WAY,
  });
}
