import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Daemon } from "@verbena/core";
import {
  decodeNetlinkError,
  decodeNetlinkLsRequest,
  encodeNetlinkGidAnswer,
  encodeNetlinkSetTimeout,
  Gid,
  PKey,
  splitNetlinkMessages,
} from "@verbena/ib";
import { type NativeServices, openNative, type RdmaNetlink, type RdmaNetlinkEvent } from "@verbena/native";
import { fakeHost } from "../../packages/core/test/support/fake-host.js";
import { fakeProvider } from "../../packages/core/test/support/fake-provider.js";

const NOBODY = 65_534;
/** What rdma_cm reports when an address is not resolved, and the errnos that tell why. */
const ADDR_ERROR = 1;
const ENODEV = 19;
const ETIMEDOUT = 110;
/** The kernel looks at an answer when this is over (or a neighbour of the interface changes), so each resolution takes as long. */
const ADDRESS_TIMEOUT_MS = 4_000;

/** Built with the addon: compiling under emulation would take longer than all the tests. */
const client = join(process.env["VERBENA_NATIVE_DIR"] ?? "", "rdma-cm-client");

let folder: string;
let native: NativeServices;

/** Next message of the kernel. */
async function nextMessage(events: AsyncIterator<RdmaNetlinkEvent>): Promise<Buffer> {
  const next = await events.next();
  assert.ok(next.done !== true && next.value.type === "datagram");
  const { messages, rest } = splitNetlinkMessages(next.value.bytes);
  const [message] = messages;
  assert.ok(message !== undefined && messages.length === 1 && rest === 0);
  return message;
}

/** What the kernel says to SET_TIMEOUT: an errno. */
async function tellTimeout(link: RdmaNetlink): Promise<number> {
  link.send(encodeNetlinkSetTimeout({ sequence: 77, pid: process.pid, timeoutMs: 2000, wantsAck: true }));
  const { errno, about } = decodeNetlinkError(await nextMessage(link.events()));
  assert.deepEqual([about.type, about.sequence], [0x1001, 77]);
  return errno;
}

/** Does `work` with the effective rights of nobody. */
async function asNobody<T>(work: () => T): Promise<Awaited<T>> {
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** A program of rdma_cm resolves an address; the event it gets and its errno. */
function resolveAddress(address: string, timeoutMs: number): Promise<readonly number[]> {
  const child = spawn(client, ["resolve", address, String(timeoutMs)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece) => {
    text += String(piece);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      resolve(
        text
          .trim()
          .split(" ")
          .map(Math.abs as never),
      );
    });
  });
}

const run = (command: string): void => {
  const [program = "", ...args] = command.split(" ");
  execFileSync(program, args);
};

// No InfiniBand is needed for the kernel to ask: an interface of its type whose routes lead through a gateway is enough.
describe("the kernel's local service", () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "verbena-kernel-"));
    run("modprobe tun");
    run(`${client} tap ibtun0`);
    run("ip link set ibtun0 up");
    run("ip addr add 10.9.0.1/24 dev ibtun0");
    run("ip route add 10.10.0.0/16 via 10.9.0.2 dev ibtun0");
    run("ip -6 addr add 2001:db8:9::1/64 dev ibtun0 nodad");
    run("ip -6 route add 2001:db8:10::/48 via 2001:db8:9::2 dev ibtun0");
    native = openNative();
  });
  after(async () => {
    await native.close();
    run("ip link del ibtun0");
    rmSync(folder, { recursive: true });
  });

  test("confirms SET_TIMEOUT to who has CAP_NET_ADMIN", async () => {
    await using link = native.openRdmaNetlink();
    assert.equal(await tellTimeout(link), 0);
  });

  test("does not let others join its group, nor speak on a socket that was handed to them", async () => {
    await asNobody(() => {
      assert.throws(() => native.openRdmaNetlink(), {
        code: "VERBENA_NATIVE_RDMA_NETLINK",
        syscall: "bind",
        errno: 1,
      });
    });
    await using link = native.openRdmaNetlink();
    assert.equal(await asNobody(() => tellTimeout(link)), 1);
  });

  for (const [address, number, size] of [
    ["10.10.0.7", 9, 4],
    ["2001:db8:10::7", 10, 16],
  ] as const) {
    test(`asks for the GID behind ${address} and takes the answer`, async () => {
      await using link = native.openRdmaNetlink();
      const events = link.events();
      const outcome = resolveAddress(address, ADDRESS_TIMEOUT_MS);
      const bytes = await nextMessage(events);
      const request = decodeNetlinkLsRequest(bytes);
      assert.equal(request.kind, "ip-resolve");
      assert.deepEqual(
        { ...request.header, sequence: 0 },
        { length: 24 + size, type: 0x1002, flags: 1, sequence: 0, pid: 0 },
      );
      assert.equal(bytes.readUInt16LE(22), 0x2000 | number);
      assert.equal(request.interfaceIndex, Number(readFileSync("/sys/class/net/ibtun0/ifindex", "ascii")));
      const { sequence } = request.header;
      link.send(encodeNetlinkGidAnswer({ sequence, pid: process.pid, gid: Gid.parse("fe80::10:3") }));
      // The address is resolved, and rdma_cm goes on to the RDMA device of the interface, which has none.
      assert.deepEqual(await outcome, [ADDR_ERROR, ENODEV]);
    });
  }

  test("is served by the daemon: addresses it knows are resolved, others are not", async () => {
    const host = fakeHost();
    const gid = Gid.parse("fe80::10:1");
    host.addresses.add({ address: "10.9.0.1", prefixLength: 24, interfaceName: "ibtun0", gid, pkey: PKey.DEFAULT });
    host.openRdmaNetlink = (options) => native.openRdmaNetlink(options);
    const table = fakeProvider();
    const hosts = join(folder, "hosts");
    writeFileSync(hosts, "10.10.0.7 fe80::10:3\n");
    await using daemon = new Daemon({
      native: host,
      providers: [{ from: { definition: table.definition }, where: "test" }],
      sources: {
        ignoreDefaults: true,
        overrides: {
          providers: [],
          files: { hosts },
          daemon: { socket: join(folder, "acm.sock"), logFile: join(folder, "log") },
        },
      },
    });
    await daemon.start();
    assert.deepEqual(await resolveAddress("10.10.0.7", ADDRESS_TIMEOUT_MS), [ADDR_ERROR, ENODEV]);
    const { kernelService } = daemon.status();
    assert.equal(kernelService?.state, "serving");
    assert.ok(kernelService.requests >= 1);
    assert.equal(kernelService.failures, 0);
    assert.deepEqual(await resolveAddress("10.10.0.8", 1_000), [ADDR_ERROR, ETIMEDOUT]);
    assert.ok((daemon.status().kernelService?.failures ?? 0) >= 1);
  });
});
