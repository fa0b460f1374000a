/** The programs of examples/rc-file-transfer between two simulated nodes, and the same on two real devices. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleProgram } from "./example-program.js";
import { startHosts, type VerbsHosts } from "./verbs-hosts.js";
import { missingNotice, runPair } from "./verbs-pair.js";

const TIMEOUT_MS = 120_000;
/** Some turns of the receiver's ring of 16 pieces of 16 KiB, and a rest. */
const SIZE = 1_000_003;

let hosts: VerbsHosts;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "verbena-transfer-"));
  hosts = await startHosts();
}, TIMEOUT_MS);
afterAll(async () => {
  await hosts[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
}, TIMEOUT_MS);

const reason = missingNotice();
(reason === undefined ? it : it.skip)(
  `a file arrives as it was${reason === undefined ? "" : ` (${reason})`}`,
  async () => {
    const file = join(dir, "file");
    const content = randomBytes(SIZE);
    writeFileSync(file, content);
    const inbox = mkdtempSync(join(dir, "inbox-"));
    const receiver = [exampleProgram("rc-file-transfer", "receive"), inbox, "-s", "16384"];
    const sender = [exampleProgram("rc-file-transfer", "send"), file];
    const done = await runPair([process.execPath, ...receiver], [], hosts, [process.execPath, ...sender]);
    expect([done.server, done.client]).toMatchObject([
      { status: 0, stdout: expect.stringContaining(`${String(SIZE)} bytes\n`) as unknown },
      { status: 0, stderr: "" },
    ]);
    expect(content.equals(readFileSync(join(inbox, "file")))).toBe(true);
  },
  TIMEOUT_MS,
);
