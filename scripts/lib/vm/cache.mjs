// The prepared kernels: one folder for each package, with the kernel, its modules and the initramfs.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { VmFailed } from "./failure.mjs";
import { initramfs } from "./initramfs.mjs";
import { addKernel } from "./kernel-package.mjs";
import { staticBusybox } from "./programs.mjs";

export const cacheFolder = (env = process.env) =>
  env.VERBENA_VM_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "verbena-vm");

/** Of the cached `names`, the one that is `wanted` (a package or .deb file; empty for any): the newest one, or undefined. */
export function chooseKernel(names, wanted) {
  const kernels = names.filter((name) => name.startsWith("linux-image-"));
  const name = basename(wanted, ".deb");
  // A name without version, such as linux-image-amd64, means the newest one of it.
  const fits = name === "" || !/\d+\.\d+/.test(name) ? kernels : kernels.filter((kernel) => kernel === name);
  return fits.sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0];
}

const cached = (cache, wanted) => (existsSync(cache) ? chooseKernel(readdirSync(cache), wanted) : undefined);

/** Whether a kernel is there already, so that nothing has to be fetched. */
export const isKernelReady = (env = process.env) => cached(cacheFolder(env), env.VERBENA_VM_KERNEL ?? "") !== undefined;

/** { name, dir, image, initrd } of the kernel to boot, fetched and unpacked if need be. Throws VM_KERNEL or VM_PROGRAM. */
export function prepareKernel(env = process.env) {
  const cache = cacheFolder(env);
  const wanted = env.VERBENA_VM_KERNEL ?? "";
  if (wanted.endsWith(".deb") && !existsSync(wanted)) {
    throw new VmFailed("VM_KERNEL", `there is no ${wanted}, as VERBENA_VM_KERNEL says`);
  }
  const busybox = staticBusybox();
  mkdirSync(cache, { recursive: true });
  const name = cached(cache, wanted) ?? addKernel(cache, wanted || "linux-image-amd64", busybox);
  const dir = join(cache, name);
  const [version] = readdirSync(join(dir, "lib/modules"));
  return { name, dir, image: join(dir, "vmlinux"), initrd: initramfs(dir, version, busybox) };
}
