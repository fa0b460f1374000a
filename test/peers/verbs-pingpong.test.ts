/**
 * The programs of ibverbs-utils with each other and with those of examples/verbs-pingpong, either one the server: between two simulated nodes,
 * and the same on two real devices.
 */
import { Gid } from "@verbena/ib";
import { exampleProgram } from "./example-program.js";
import { missing, type Run } from "./sim-programs.js";
import { portReport, startHosts, type VerbsHosts } from "./verbs-hosts.js";
import { type Command, missingNotice, runPair } from "./verbs-pair.js";

const TIMEOUT_MS = 120_000;

let hosts: VerbsHosts;
beforeAll(async () => {
  hosts = await startHosts();
}, TIMEOUT_MS);
afterAll(() => hosts[Symbol.asyncDispose](), TIMEOUT_MS);

/** A thousand messages each way, at the size that both programs have by default. */
const KINDS = { rc: 8_192_000, uc: 8_192_000, ud: 2_048_000, srq: 8_192_000 } as const;
const SLOW = "under emulation a line more takes seconds: there it is left to the simulator";
type Kind = keyof typeof KINDS;

const ours = (kind: Kind): Command => [process.execPath, exampleProgram("verbs-pingpong", kind)];
const theirs = (kind: Kind): Command => `ibv_${kind}_pingpong`;

/** The addresses that a program printed: of its own, and those it was told. */
function addresses({ stdout }: Run): Readonly<Record<"local" | "remote", readonly string[]>> {
  const of = (side: string): readonly string[] =>
    [...stdout.matchAll(new RegExp(`^ +${side} address: +(LID .*)[,:] GID (.*)$`, "gm"))].map(
      ([, text, gid]) => `${text ?? ""}, GID ${Gid.format(Gid.parse(gid ?? ""))}`,
    );
  return { local: of("local"), remote: of("remote") };
}

async function play(line: string, commands: Readonly<Record<"server" | "client", (kind: Kind) => Command>>) {
  const [kind, ...args] = line.split(" ") as [Kind, ...string[]];
  const done = await runPair(commands.server(kind), args, hosts, commands.client(kind));
  const ends = [done.server, done.client];
  if (ends.some(({ status }) => status !== 0))
    throw new Error(`did not end well: ${JSON.stringify(done, undefined, 2)}`);
  for (const { stdout } of ends) {
    const [bytes, iterations] = stdout.trim().split("\n").slice(-2);
    expect(bytes).toMatch(new RegExp(`^${KINDS[kind]} bytes in \\d+\\.\\d\\d seconds = `));
    expect(iterations).toMatch(/^1000 iters in \d+\.\d\d seconds = /);
  }
  // What one end tells is what the other has understood.
  const [a, b] = ends.map(addresses);
  expect(a?.local).toHaveLength(kind === "srq" ? 16 : 1);
  expect([a?.remote, b?.remote]).toEqual([b?.local, a?.local]);
}

const LINES = [
  "rc",
  "rc -e",
  "uc",
  "uc -e",
  "ud",
  "ud -e",
  "srq",
  "srq -e",
  "rc -g 0",
  "ud -g 0",
  "rc -m 4096 -r 10 -l 1",
];

/** Why a line cannot be played on this device; `undefined` if it can. */
function lacking(line: string): string | undefined {
  const { isEthernet, activeMtu } = portReport;
  if (line.includes("-g") && isEthernet) return "on Ethernet packets have a GRH in all of these";
  const [, mtu = 0] = /-m (\d+)/.exec(line) ?? [];
  return Number(mtu) > activeMtu ? `the port's active MTU is ${String(activeMtu)} bytes` : undefined;
}

const reason = missing(...Object.keys(KINDS).map((kind) => theirs(kind as Kind) as string)) ?? missingNotice();

/** `enough`: what is played where a thousand messages take seconds. */
describe.each([
  ["their server, their client", { server: theirs, client: theirs, enough: ["rc -e", "uc", "uc -e", "ud", "srq"] }],
  ["our server, their client", { server: ours, client: theirs, enough: ["rc -e", "uc", "ud", "srq"] }],
  ["their server, our client", { server: theirs, client: ours, enough: ["rc -e", "uc", "ud", "srq"] }],
])("a thousand messages to and fro, %s", (_, { enough, ...commands }) => {
  for (const line of LINES) {
    const isTooMuch = portReport.isSlow && !enough.includes(line);
    const why = reason ?? lacking(line) ?? (isTooMuch ? SLOW : undefined);
    const declare = why === undefined ? it : it.skip;
    declare(why === undefined ? line : `${line} (${why})`, () => play(line, commands), TIMEOUT_MS);
  }
});
