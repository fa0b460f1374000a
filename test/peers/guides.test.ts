// Runs the commands of the guides and of the examples' READMEs, in order, as they stand there but for the paths in /tmp.
import { DocumentedCommands } from "./documented-commands.js";

jest.setTimeout(120_000);

let document: DocumentedCommands;
afterEach(() => document.close());

/** Plays all blocks of a document; `words` are what those that stay in the background say when they are ready. */
async function playAll(path: string, words: readonly string[]): Promise<readonly string[]> {
  document = new DocumentedCommands(path);
  const left = [...words];
  const outputs: string[] = [];
  for (const block of document.blocks("sh")) {
    outputs.push(await document.play(block, block.trim().endsWith("&") ? left.shift() : undefined));
  }
  expect(left).toEqual([]);
  return outputs;
}

test.each(["docs/first-rdma-program.md", "examples/verbs-pingpong/README.md"])(
  "%s: a client plays a thousand rounds with a server",
  async (path) => {
    const [, , client] = await playAll(path, ["ready", "local address:"]);
    expect(client).toMatch(/^ +local address: +LID 0x0004, .*\n +remote address: LID 0x0001, /);
    expect(client).toMatch(/^8192000 bytes in [\d.]+ seconds = [\d.]+ Mbit\/sec\n1000 iters in /m);
  },
);

test("examples/ud-pingpong/README.md: a thousand datagrams to and fro", async () => {
  const [, game] = await playAll("examples/ud-pingpong/README.md", ["ready"]);
  expect(game).toMatch(/^2048000 bytes in [\d.]+ seconds = [\d.]+ Mbit\/sec\n1000 iters in /);
});

test("examples/priority-channels/README.md: three classes on a fabric of the program's own", async () => {
  const [table] = await playAll("examples/priority-channels/README.md", []);
  expect(table).toMatch(/^class +queues +completions +batches +share\nurgent +1 .*\nnormal +4 .*\nbulk +16 /);
  expect(table).toContain("urgent completions waited for 1 batch of others at most\n");
});

test("examples/provider-static/README.md: the answer comes from the file, with its service level", async () => {
  const answers = await playAll("examples/provider-static/README.md", ["ready", "ready"]);
  expect(answers.at(-1)).toContain("archive  (address static (provider), route static (provider))\n");
  expect(answers.at(-1)).toMatch(/^fe80::2:c903:10:31 +7 +fe80::2:c903:10:1 +1 +0xffff +3 +4096 /m);
});
