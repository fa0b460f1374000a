import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpio } from "./cpio.mjs";
import { insertionOrder, moduleLists, parseModulesDep } from "./modules.mjs";

const guestScript = fileURLToPath(new URL("guest.sh", import.meta.url));
const applets = ["sh", "mount", "insmod", "mkdir", "cp", "cat", "sleep", "switch_root"];

const folder = (name) => ({ name, mode: 0o040755 });
const file = (name, content) => ({ name, mode: 0o100644, content });
const program = (name, content) => ({ name, mode: 0o100755, content });
const link = (name, target) => ({ name, mode: 0o120777, content: target });

/** Path of the initramfs for the unpacked kernel in `kernelDir`; made when a part of it has changed. */
export function initramfs(kernelDir, version, busybox) {
  const init = readFileSync(guestScript);
  const shell = readFileSync(busybox);
  const key = createHash("sha256").update(init).update(shell).update(JSON.stringify(moduleLists)).digest("hex");
  const path = join(kernelDir, `initrd-${key.slice(0, 16)}.cpio`);
  if (existsSync(path)) return path;

  const modules = join(kernelDir, "lib/modules", version);
  const known = parseModulesDep(readFileSync(join(modules, "modules.dep"), "utf8"));
  const order = insertionOrder(moduleLists, known);
  const archive = cpio([
    ...["bin", "mods", "dev", "proc", "sys"].map(folder),
    program("init", init),
    program("bin/busybox", shell),
    ...applets.map((applet) => link(`bin/${applet}`, "busybox")),
    ...Object.entries(order).map(([list, names]) => file(`mods/${list}.list`, `${names.join("\n")}\n`)),
    ...Object.values(order)
      .flat()
      .map((name) => file(`mods/${name}.ko`, readFileSync(join(modules, known.get(name).path)))),
  ]);
  // Renamed when complete: another first use may be at it too.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, archive);
  renameSync(unfinished, path);
  return path;
}
