// What one run of the machine consists of: the files that tell the guest what to do, and QEMU's command line. Pure.

const passedOn = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "CI"];

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const lines = (rows) => rows.map((row) => `${row}\n`).join("");

/** The folders that the guest may write, each with the tag under which QEMU offers it. */
export const sharedFolders = (cwd, rw) => [...new Set([cwd, ...rw])].map((dir, i) => ({ tag: `rw${i}`, dir }));

function exported(assignment) {
  const at = assignment.indexOf("=");
  return `export ${assignment.slice(0, at)}=${quote(assignment.slice(at + 1))}`;
}

/** Contents of the files in the run's work folder, which guest.sh reads: { rw, conf, job }. */
export function jobFiles({ hosts, stdin, kernelDir, ip, rdma, shared, cwd, env, extraEnv, command }) {
  const inherited = passedOn.filter((name) => env[name] !== undefined).map((name) => `${name}=${env[name]}`);
  return {
    rw: lines(shared.map(({ tag, dir }) => `${tag} ${dir}`)),
    conf: lines([
      `HOSTS=${hosts}`,
      `STDIN=${stdin ? 1 : 0}`,
      `KERNEL_DIR=${quote(kernelDir)}`,
      `IP=${quote(ip)}`,
      `RDMA=${quote(rdma)}`,
    ]),
    job: lines([
      ...[...inherited, ...extraEnv, "VERBENA_VM=1"].map(exported),
      `cd ${quote(cwd)} || exit 125`,
      "unset OLDPWD",
      `exec ${command.map(quote).join(" ")}`,
    ]),
  };
}

// In an option of QEMU a comma ends the value; two are one.
const value = (text) => text.replaceAll(",", ",,");

const share = ({ tag, dir, isReadOnly }) => [
  "-fsdev",
  `local,id=${tag},path=${value(dir)},security_model=none,multidevs=remap${isReadOnly ? ",readonly=on" : ""}`,
  "-device",
  `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`,
];

/** Descriptors of QEMU's process that carry the ports of guest.sh, in the order of their numbers, 1 to 4. */
export const portDescriptors = { out: 3, err: 4, control: 5, input: 6 };

const port = (descriptor, i) => [
  "-chardev",
  `socket,id=port${i + 1},fd=${descriptor}`,
  "-device",
  `virtserialport,nr=${i + 1},chardev=port${i + 1},name=port${i + 1}`,
];

/** QEMU's arguments. `work` is the folder with the job's files, `log` the file that takes the kernel log. */
export function qemuArguments({ cpus, memory, image, initrd, work, log, isLogVerbose, shared }) {
  const append = [
    "console=ttyS0",
    `loglevel=${isLogVerbose ? 7 : 5}`,
    "panic=-1",
    "oops=panic",
    "mitigations=off",
    "tsc=reliable",
    "audit=0",
    `verbena_vm.job=${work}`,
  ];
  return [
    ...["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"],
    // On microvm, which boots half a second sooner, the clock ticks in steps of 4 ms.
    ...["-machine", "pc", "-accel", "tcg,thread=multi", "-cpu", "max"],
    ...["-smp", String(cpus), "-m", String(memory)],
    ...["-kernel", image, "-initrd", initrd, "-append", append.join(" ")],
    ...["-serial", `file:${value(log)}`, "-device", "virtio-serial-pci"],
    ...Object.values(portDescriptors).flatMap(port),
    ...[{ tag: "root", dir: "/", isReadOnly: true }, ...shared].flatMap(share),
  ];
}
