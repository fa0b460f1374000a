import assert from "node:assert/strict";
import { test } from "node:test";
import { HostDaemon, type LogLine, verbena } from "./verbena.js";

/** What the commands tell of a daemon without a port. */
async function check({ doors, socket }: HostDaemon): Promise<void> {
  const none = { status: 0, out: "no endpoint: no active InfiniBand port has a name or address\n", err: "" };
  assert.deepEqual(await verbena(["endpoints", ...doors]), none);
  // Without the control socket the client protocol's own listing is asked for.
  assert.deepEqual(await verbena(["endpoints", "--socket", socket]), none);
  const listed = await verbena(["endpoints", "--json", ...doors]);
  assert.deepEqual(JSON.parse(listed.out), { endpoints: [], degraded: [] });
  const resolved = await verbena(["resolve", "10.0.1.2", ...doors]);
  assert.equal(resolved.status, 1);
  assert.match(resolved.err, /^verbena: 10\.0\.1\.2 is not an address of an endpoint.*VERBENA_RESOLVE_NO_SOURCE/);
}

/** Runs `work` beside a daemon; gives the daemon's log. */
async function beside(work: (daemon: HostDaemon) => Promise<void>): Promise<readonly LogLine[]> {
  const daemon = await HostDaemon.start();
  try {
    await work(daemon);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return daemon.stop();
}

test("on a host whose only RDMA ports are Ethernet the daemon runs, and says that it has no InfiniBand port", async () => {
  const said = await beside(check);
  assert.deepEqual(
    said.filter(({ device }) => device !== undefined).map(({ level, msg, device }) => [level, msg, device]),
    ["rxe0", "rxe1"].map((device) => ["info", "device has no InfiniBand port: left alone", device]),
  );
  const warnings = said.filter(({ level }) => level === "warn").map(({ msg }) => msg);
  assert.equal(warnings[0], "no active InfiniBand port: nothing can be resolved until there is one");
});

test("without privileges it runs, and names the function it has lost and what to do about it", async () => {
  const lost = {
    function: "answers to the kernel's own path queries; it asks the subnet administrator itself",
    reason: "the kernel's RDMA local service: bind: Operation not permitted",
    remedy: "Needs root or the capabilities CAP_NET_ADMIN and CAP_NET_RAW.",
  };
  process.seteuid?.(65_534);
  try {
    const said = await beside(async ({ doors }) => {
      const listed = await verbena(["endpoints", "--json", ...doors]);
      assert.deepEqual(JSON.parse(listed.out), { endpoints: [], degraded: [lost] });
    });
    assert.deepEqual(
      said
        .filter(({ msg }) => msg.startsWith("function lost"))
        .map(({ level, msg, reason, remedy }) => ({ level, msg, reason, remedy })),
      [{ level: "warn", msg: `function lost: ${lost.function}`, reason: lost.reason, remedy: lost.remedy }],
    );
  } finally {
    process.seteuid?.(0);
  }
});
