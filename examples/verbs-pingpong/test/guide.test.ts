// Runs what docs/first-rdma-program.md and docs/completion-channels.md show: their programs, compiled as the former says, on a simulated fabric.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { libfabricsimPath, type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";
import ts from "typescript";

jest.setTimeout(120_000);

const root = join(__dirname, "../../..");
const programs = join(root, "build", `guide-${String(process.pid)}`);
let dir: string;
let fabric: RunningFabric;
beforeAll(async () => {
  mkdirSync(programs, { recursive: true });
  dir = mkdtempSync(join(tmpdir(), "verbena-guide-"));
  fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
});
afterAll(async () => {
  await fabric.close();
  rmSync(dir, { recursive: true });
  rmSync(programs, { recursive: true });
});

/** The TypeScript blocks of the section that begins with `heading`. */
function blocks(guide: string, heading: string): string {
  const sections = readFileSync(join(root, "docs", guide), "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(heading)) ?? "";
  return [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text).join("");
}

function compile(name: string, text: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  const path = join(programs, `${name}.mjs`);
  writeFileSync(path, outputText);
  return path;
}

async function run(path: string): Promise<string> {
  const env = {
    ...process.env,
    FABRICSIM_DIR: fabric.dir,
    FABRICSIM_NODE: "H1",
    VERBENA_LIBIBVERBS: libfabricsimPath(),
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [path], { env, timeout: 60_000 });
  return stdout + stderr;
}

test("the first program opens the device and tells its port", async () => {
  const program = compile("open", blocks("first-rdma-program.md", "1. Open the device"));
  expect(await run(program)).toBe("sim0: LID 1, state active\n");
});

test("the steps of the first program make two ends that play a hundred rounds", async () => {
  for (const [name, heading] of [
    ["make", "2. Make"],
    ["receives", "3. Post"],
    ["connect", "5. Connect"],
    ["play", "6. Send"],
  ] as const) {
    compile(name, blocks("first-rdma-program.md", heading));
  }
  const program = compile(
    "both",
    `import { openNative } from "@verbena/native";
import { openEnd } from "./make.mjs";
import { postReceives } from "./receives.mjs";
import { connect } from "./connect.mjs";
import { play } from "./play.mjs";
await using native = openNative();
const context = native.verbs.open("sim0");
const { lid } = context.queryPort(1);
const ends = [await openEnd(context, 4096, 100), await openEnd(context, 4096, 100)];
const addresses = ends.map(({ pair }, i) => ({ lid, qpn: pair.qpn, psn: 0x6a5cd9 + i }));
for (const { pair, data } of ends) postReceives(pair, data, 100);
await Promise.all(ends.map(({ pair }, i) => connect(pair, addresses[1 - i], addresses[i])));
await Promise.all(ends.map(({ cq, pair, data }, i) => play(cq, pair, data, 100, i === 1)));
console.log("over");
`,
  );
  expect(await run(program)).toBe("over\n");
});

test("a channel is made and closed, and nothing is reported", async () => {
  const program = compile("create", blocks("completion-channels.md", "Create, report, destroy"));
  expect(await run(program)).toBe("");
});

test("a thread is tied to a processor", async () => {
  const program = compile("affinity", blocks("completion-channels.md", "Vectors and processors"));
  expect(await run(program)).toBe("");
});
