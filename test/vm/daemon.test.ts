import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runFace } from "verbena";

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of verbena in this process; resolves with its status and what it wrote. */
async function verbena(words: readonly string[], onOut: (text: string) => void = () => undefined): Promise<Ended> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => {
      out += text;
      onOut(text);
    },
    err: (text: string) => {
      err += text;
    },
  };
  const status = await runFace(["node", "verbena", ...words], io);
  return { status, out, err };
}

/** What the commands tell of a daemon without a port. */
async function check(doors: readonly string[], file: (name: string) => string): Promise<void> {
  const none = { status: 0, out: "no endpoint: no active InfiniBand port has a name or address\n", err: "" };
  assert.deepEqual(await verbena(["endpoints", ...doors]), none);
  // Without the control socket the client protocol's own listing is asked for.
  assert.deepEqual(await verbena(["endpoints", "--socket", file("acm.sock")]), none);
  assert.equal((await verbena(["endpoints", "--json", ...doors])).out, '{"endpoints":[]}\n');
  const resolved = await verbena(["resolve", "10.0.1.2", ...doors]);
  assert.equal(resolved.status, 1);
  assert.match(resolved.err, /^verbena: 10\.0\.1\.2 is not an address of an endpoint.*VERBENA_RESOLVE_NO_SOURCE/);
}

test("on a host whose only RDMA ports are Ethernet the daemon runs, and says that it has no InfiniBand port", async () => {
  const folder = mkdtempSync("/tmp/verbena-daemon-");
  const file = (name: string): string => join(folder, name);
  const log = [`log_file ${file("log")}`, `lock_file ${file("pid")}`, "log_level 1"];
  writeFileSync(file("opts"), ["server_mode unix", ...log].map((line) => `${line}\n`).join(""));
  writeFileSync(file("addr"), "");
  const doors = ["--socket", file("acm.sock"), "--control", file("ctl.sock")];
  const serve = ["serve", "--options", file("opts"), "--addresses", file("addr"), ...doors];
  let served = Promise.resolve<Ended>({ status: 0, out: "", err: "" });
  const isReady = new Promise<void>((resolve) => {
    served = verbena(serve, () => resolve());
  });
  await Promise.race([isReady, served.then((early) => assert.fail(`ended: ${JSON.stringify(early)}`))]);

  try {
    await check(doors, file);
  } finally {
    process.kill(process.pid, "SIGTERM");
  }
  assert.deepEqual(await served, { status: 0, out: `ready ${file("acm.sock")}\n`, err: "" });
  const said = readFileSync(file("log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { level: string; msg: string; device?: string });
  assert.deepEqual(
    said.filter(({ device }) => device !== undefined).map(({ level, msg, device }) => [level, msg, device]),
    ["rxe0", "rxe1"].map((device) => ["info", "device has no InfiniBand port: left alone", device]),
  );
  const warnings = said.filter(({ level }) => level === "warn").map(({ msg }) => msg);
  assert.equal(warnings[0], "no active InfiniBand port: nothing can be resolved until there is one");
  rmSync(folder, { recursive: true });
});
