// Gets a Debian kernel package and unpacks what the machine needs of it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { VmFailed } from "./failure.mjs";
import { output } from "./programs.mjs";

// The rest of the package drives hardware that is not there.
const moduleFolders = [
  "arch",
  "crypto",
  "fs",
  "lib",
  "net",
  "drivers/block",
  "drivers/char",
  "drivers/infiniband",
  "drivers/net/*.ko",
  "drivers/virtio",
];
const wantedParts = [
  "./boot/vmlinuz-*",
  "./lib/modules/*/modules.*",
  ...moduleFolders.map((folder) => `./lib/modules/*/kernel/${folder}`),
];

function downloadOnce(folder, wanted) {
  const depends = String(output("apt-cache", ["depends", wanted]));
  const real = /^linux-image-\d/.test(wanted) ? wanted : depends.match(/Depends: (linux-image-\d\S*)/)?.[1];
  if (real === undefined) throw new VmFailed("VM_KERNEL", `apt knows no kernel package for ${wanted}`);
  output("apt-get", ["-o", "APT::Sandbox::User=root", "download", real], { cwd: folder });
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".deb")),
  );
}

/** Path of the fetched package. Lists that are old or absent are renewed once, which needs root. */
function download(folder, wanted) {
  try {
    return downloadOnce(folder, wanted);
  } catch {
    try {
      output("apt-get", ["-o", "DPkg::Lock::Timeout=300", "update"]);
      return downloadOnce(folder, wanted);
    } catch (error) {
      const hint = "as root run 'apt-get update', or name a package file by VERBENA_VM_KERNEL";
      throw new VmFailed("VM_KERNEL", `no kernel: ${error.message}\n(${hint})`);
    }
  }
}

// QEMU enters an uncompressed kernel directly, which saves seconds of emulated unpacking. A bzImage carries it as one XZ stream.
function plainKernel(path) {
  const at = readFileSync(path).indexOf(Buffer.from("fd377a585a00", "hex"));
  if (at < 0) return readFileSync(path);
  const script = 'tail -c "+$2" "$1" | xz -dc --single-stream';
  return output("/bin/sh", ["-c", script, "plain", path, String(at + 1)]);
}

function unpack(deb, folder, busybox) {
  mkdirSync(folder);
  const script = 'deb=$1; shift; dpkg-deb --fsys-tarfile "$deb" | tar -x --wildcards "$@"';
  output("/bin/sh", ["-c", script, "unpack", deb, ...wantedParts], { cwd: folder });
  const [version] = readdirSync(join(folder, "lib/modules"));
  if (version === undefined) throw new VmFailed("VM_KERNEL", `${deb} holds no kernel modules`);
  output(busybox, ["depmod", "-b", folder, version]);
  writeFileSync(join(folder, "vmlinux"), plainKernel(join(folder, "boot", `vmlinuz-${version}`)));
  return version;
}

/**
 * Fills a folder of `cache` named after the package, and returns that name. `wanted` is a package's name or a .deb file. It works in a
 * folder of its own and renames it, so that two first uses at once, or one cut off, leave nothing half done.
 */
export function addKernel(cache, wanted, busybox) {
  const work = mkdtempSync(join(cache, "tmp-"));
  try {
    const isFile = wanted.endsWith(".deb");
    const folder = join(work, "kernel");
    const version = unpack(isFile ? resolve(wanted) : download(work, wanted), folder, busybox);
    const name = isFile ? basename(wanted, ".deb") : `linux-image-${version}`;
    try {
      renameSync(folder, join(cache, name));
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
    return name;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
