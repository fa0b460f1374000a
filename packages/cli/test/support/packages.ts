import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../../../..");

/** A folder of npm packages beside a configuration file: what a user's `npm install` would have put there. */
export class Packages {
  constructor(
    /** Folder of the configuration. */
    private readonly dir: string,
  ) {
    mkdirSync(join(dir, "node_modules/@verbena"), { recursive: true });
    for (const name of ["core", "ib"]) this.#link(join(ROOT, "packages", name), `@verbena/${name}`);
  }

  /** Installs a folder of `examples/` under its package name. */
  example(folder: string, name: string): void {
    this.#link(join(ROOT, "examples", folder), name);
  }

  /** Writes a package of one ES module. */
  write(name: string, source: string): void {
    const folder = join(this.dir, "node_modules", name);
    mkdirSync(folder);
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js" }),
    );
    writeFileSync(join(folder, "index.js"), source);
  }

  #link(target: string, name: string): void {
    symlinkSync(target, join(this.dir, "node_modules", name));
  }
}
