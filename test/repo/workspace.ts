// What the repository tests look at: tracked files, package manifests, markdown.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../..");

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly version?: string;
  readonly license?: string;
  readonly packageManager?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readText(join(folder, "package.json"))) as Manifest;
}

/** Folders of all workspace packages, from the root. */
export function workspaces(): readonly string[] {
  return ["packages", "examples"]
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(root, folder, "package.json")));
}

/** Every file git tracks that is still there, from the root. */
export function trackedFiles(): readonly string[] {
  return execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));
}

export function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, 8192).includes(0);
}

/** Tracked hand-written markdown. */
export function documents(): readonly string[] {
  return trackedFiles().filter((path) => path.endsWith(".md") && !path.startsWith("api/"));
}
