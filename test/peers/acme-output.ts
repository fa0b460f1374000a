import type { Run } from "./sim-programs.js";

/** A destination as `ib_acme` prints it: the fields of its path as text, or what failed. */
export interface ShownPath {
  readonly destination: string;
  readonly sources: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Of `-v`. */
  readonly verification?: string;
  /** `ib_acm_resolve_ip failed: …`. */
  readonly failure?: string;
}

/** What a run of `ib_acme` says of each destination, in order. */
export function shownPaths({ stdout }: Pick<Run, "stdout">): readonly ShownPath[] {
  return stdout
    .split(/^Destination: /m)
    .slice(1)
    .map((part) => {
      const verification = /^SA verification: (.*)$/m.exec(part)?.[1];
      const failure = /^(ib_acm_resolve_\w+ failed: .*)$/m.exec(part)?.[1];
      return {
        destination: part.split("\n")[0] ?? "",
        sources: [...part.matchAll(/^Source: (\S+)$/gm)].map(([, text]) => text ?? ""),
        fields: Object.fromEntries(
          [...part.matchAll(/^ {2}([a-z ]+): (\S+)$/gm)].map(([, name, value]) => [name, value]),
        ),
        ...(verification === undefined ? {} : { verification }),
        ...(failure === undefined ? {} : { failure }),
      };
    });
}
