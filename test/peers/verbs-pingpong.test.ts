/** The programs of examples/verbs-pingpong with those of ibverbs-utils, on two simulated nodes, either one the server. */
import { join } from "node:path";
import { Cluster } from "../../packages/cli/test/support/cluster.js";
import { type Command, missingNotice, runPair } from "./sim-pair.js";
import { missing, type Run } from "./sim-programs.js";

const TIMEOUT_MS = 120_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ hosts: 2 });
}, TIMEOUT_MS);
afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

/** A thousand messages each way, at the size that both programs have by default. */
const KINDS = { rc: 8_192_000, uc: 8_192_000, ud: 2_048_000, srq: 8_192_000 } as const;
type Kind = keyof typeof KINDS;

const ours = (kind: Kind): Command => [process.execPath, join(__dirname, `../../examples/verbs-pingpong/${kind}.js`)];
const theirs = (kind: Kind): Command => `ibv_${kind}_pingpong`;

/** The addresses that a program printed: of its own, and those it was told. */
function addresses({ stdout }: Run): Readonly<Record<"local" | "remote", readonly string[]>> {
  const of = (side: string): readonly string[] =>
    [...stdout.matchAll(new RegExp(`^ +${side} address: +(LID .*)$`, "gm"))].map(
      ([, text]) => text?.replace(": GID", ", GID") ?? "",
    );
  return { local: of("local"), remote: of("remote") };
}

async function play(kind: Kind, args: readonly string[], server: Command, client: Command): Promise<readonly Run[]> {
  const done = await runPair(server, args, { fabric: cluster.fabric, server: "node1", client: "node2" }, client);
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
  return ends;
}

const LINES = [
  ...Object.keys(KINDS).flatMap((kind) => [kind, `${kind} -e`]),
  // With a GRH; few receives and another MTU and service level.
  ...["rc -g 0", "ud -g 0", "rc -m 4096 -r 10 -l 1"],
];

const split = (line: string): [Kind, readonly string[]] => {
  const [kind, ...args] = line.split(" ");
  return [kind as Kind, args];
};

describe("a thousand messages to and fro", () => {
  const reason = missing(...Object.keys(KINDS).map((kind) => theirs(kind as Kind) as string)) ?? missingNotice();
  const each = reason === undefined ? it.each : it.skip.each;
  const why = reason === undefined ? "" : `: ${reason}`;

  each(LINES)(
    `our server, their client, %s${why}`,
    async (line) => {
      const [kind, args] = split(line);
      await play(kind, args, ours(kind), theirs(kind));
    },
    TIMEOUT_MS,
  );

  each(LINES)(
    `their server, our client, %s${why}`,
    async (line) => {
      const [kind, args] = split(line);
      await play(kind, args, theirs(kind), ours(kind));
    },
    TIMEOUT_MS,
  );
});
