// The part of rds-vm.mjs that runs in the virtual machine: node rds-vm-guest.mjs PROGRAM [--quick]. Prints the results, marked, as JSON.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const [program, quick] = process.argv.slice(2);
const SIZES = [
  { name: "64 B", bytes: 64, depth: 32 },
  { name: "1 KiB", bytes: 1024, depth: 32 },
  { name: "8 KiB", bytes: 8192, depth: 16 },
  { name: "64 KiB", bytes: 65_536, depth: 4 },
].slice(0, quick === undefined ? undefined : 1);
const SECONDS = quick === undefined ? 3 : 1;
/** Who sends and who receives, with their namespaces and addresses. */
const ADDRESSES = { from: ["A", "10.0.0.1"], to: ["B", "10.0.0.2"] };
const KERNEL = { sender: ["--transport", "kernel"], receiver: ["--transport", "kernel"], ...ADDRESSES };
/** A port that the kernel does not have, for ours with ours; with the kernel it must be the kernel's. */
const OWN_PORT = ["--transport", "tcp", "--tcp-port", "26385"];
const OURS = { sender: OWN_PORT, receiver: OWN_PORT, ...ADDRESSES };
const MIXED = {
  sender: ["--transport", "tcp"],
  receiver: ["--transport", "kernel"],
  from: ["C", "10.0.9.1"],
  to: ["B", "10.0.9.2"],
};
const MARK = "result ";

/** One side in a namespace; resolves with what it wrote. */
function side(namespace, words) {
  const args = ["netns", "exec", namespace, process.execPath, program, "rds", "stress", "--json", "--warm-up", "2s"];
  const child = spawn("ip", [...args, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  return once(child, "close").then(([status]) => {
    if (status !== 0) throw new Error(`rds stress in ${namespace} ended with ${status}`);
    return JSON.parse(out.trim().split("\n").at(-1));
  });
}

async function measure({ bytes, depth }, { sender, receiver, from, to }) {
  console.error(`bench rds-vm: ${bytes} bytes, ${sender[1]} to ${receiver[1]}`);
  const receiving = side(to[0], [...receiver, "-r", to[1]]);
  const ends = ["-r", from[1], "-s", to[1], "--connect-retries", "60"];
  const load = ["-o", "-q", String(bytes), "-d", String(depth), "-T", String(SECONDS)];
  const [summary] = await Promise.all([side(from[0], [...sender, ...ends, ...load]), receiving]);
  return { rate: summary.requestsSentPerSecond, rttUs: summary.meanRttUs };
}

for (const limit of ["wmem_max", "rmem_max"]) spawnSync("sysctl", ["-q", "-w", `net.core.${limit}=8388608`]);
const results = [];
for (const size of SIZES) {
  const [kernel, ours] = [await measure(size, KERNEL), await measure(size, OURS)];
  results.push({ name: size.name, kernel, ours });
}
// The kernel has met neither address before, and does not listen in C.
for (const words of [
  "ip netns add C",
  "ip link add cb netns C type veth peer name bc netns B",
  "ip -n C addr add 10.0.9.1/24 dev cb",
  "ip -n B addr add 10.0.9.2/24 dev bc",
  "ip -n C link set cb up",
  "ip -n B link set bc up",
  "ip netns exec C ss -K -tln sport = 16385",
]) {
  const [program, ...args] = words.split(" ");
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${words}: ${stderr}`);
}
for (const [at, size] of SIZES.entries()) results[at].mixed = await measure(size, MIXED);
console.log(MARK + JSON.stringify(results));
