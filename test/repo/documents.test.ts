import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { documents, readText, root } from "./workspace.js";

interface Snippet {
  readonly name: string;
  readonly text: string;
}

function snippets(path: string): readonly Snippet[] {
  const text = readText(path);
  return [...text.matchAll(/^```(?:ts|typescript)\n(.*?)^```$/gms)].map((match) => ({
    name: `${path}:${String(text.slice(0, match.index).split("\n").length)}`,
    text: match[1] ?? "",
  }));
}

/** Type errors of the snippets, each compiled as a module of its own at the root of the clone (top-level await is fine). */
function typeErrors(all: readonly Snippet[]): readonly string[] {
  const files = new Map(all.map((snippet, index) => [join(root, `snippet-${String(index)}.mts`), snippet]));
  const config = ts.readConfigFile(join(root, "tsconfig.test.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(
    { ...(config.config as object), include: [], files: [] },
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const snippet = files.get(path);
    return snippet
      ? ts.createSourceFile(path, snippet.text, typeof target === "object" ? target : { languageVersion: target }, true)
      : getSourceFile(path, target, ...rest);
  };
  const program = ts.createProgram([...files.keys()], { ...options, noEmit: true, incremental: false }, host);
  return [...files].flatMap(([path, { name }]) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}

/** Files that `text` links to. What is set as code is no link: `[port](guid)` stands in topology files. */
function linkedFiles(text: string): readonly string[] {
  const prose = text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
}

describe("documents", () => {
  it("hold TypeScript that compiles", () => {
    const all = documents().flatMap(snippets);
    expect(all.length === 0 ? [] : typeErrors(all)).toEqual([]);
  }, 120_000);

  it("would report TypeScript that does not compile", () => {
    expect(typeErrors([{ name: "here", text: 'import { nothing } from "@verbena/ib";\nawait nothing;\n' }])).toEqual([
      expect.stringContaining("here: Module '\"@verbena/ib\"' has no exported member 'nothing'"),
    ]);
  }, 120_000);

  it("link to files that exist", () => {
    const broken = documents().flatMap((path) =>
      linkedFiles(readText(path))
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("link only outside of code", () => {
    const text =
      "[a](a.md) `[1](guid)` [`b`](b.md#part)\n```text\n[2](guid)\n```\n[c](https://example.org) [d](d.md)\n";
    expect(linkedFiles(text)).toEqual(["a.md", "b.md", "d.md"]);
  });
});
