import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { openNative } from "../src/index.js";
import { bindingPath, loadBinding } from "../src/load-binding.js";
import { NativeProcessService } from "../src/process/process-service.js";

jest.setTimeout(30_000); // programs are started

const dir = mkdtempSync(join(tmpdir(), "verbena-process-"));
afterAll(() => rmSync(dir, { recursive: true }));
const service = openNative().process;
const descriptorOf = (handle: Socket | Server): number => (handle as unknown as { _handle: { fd: number } })._handle.fd;

/** The server's end of a connection, and what ends it all. */
async function accepted(server: Server, dial: () => Socket): Promise<{ peer: Socket; end: () => void }> {
  await once(server, "listening");
  const client = dial();
  const [peer] = (await once(server, "connection")) as [Socket];
  const end = (): void => {
    client.destroy();
    peer.destroy();
    server.close();
  };
  return { peer, end };
}

test("credentials of a Unix peer; none for TCP", async () => {
  const path = join(dir, "s.sock");
  const unix = await accepted(createServer().listen(path), () => connect(path));
  expect(service.peerCredentials(descriptorOf(unix.peer))).toEqual({
    pid: process.pid,
    uid: process.getuid?.(),
    gid: process.getgid?.(),
  });
  unix.end();
  const server = createServer().listen(0, "127.0.0.1");
  const tcp = await accepted(server, () => connect((server.address() as AddressInfo).port, "127.0.0.1"));
  expect(service.peerCredentials(descriptorOf(tcp.peer))).toBeUndefined();
  tcp.end();
  expect(() => service.peerCredentials(99_999)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_SYSTEM", errno: 9, syscall: "getsockopt" }),
  );
});

test("the kind of a socket is seen at the descriptor itself", async () => {
  const binding = loadBinding();
  const server = createServer().listen(join(dir, "d.sock"));
  await once(server, "listening");
  expect(binding.describeSocket(descriptorOf(server))).toEqual({ family: 1, type: 1, protocol: 0, isListening: true });
  server.close();
  expect(binding.describeSocket(99_999)).toBeUndefined();
});

test("a lock is exclusive, keeps longer content of others, and can be had again", () => {
  const path = join(dir, "ibacm.pid");
  const lock = service.tryLockFile(path);
  expect(lock).toBeDefined();
  expect(statSync(path).mode & 0o037).toBe(0);
  lock?.write("12345\n");
  lock?.write("77\n");
  // Written at offset 0 without truncation, as ibacm does (acm.md 10).
  expect(readFileSync(path, "utf8")).toBe("77\n45\n");
  expect(service.tryLockFile(path)).toBeUndefined();
  lock?.release();
  lock?.release();
  expect(() => lock?.write("x")).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" }));
  service.tryLockFile(path)?.release();
  expect(() => service.tryLockFile(join(dir, "no/such/folder"))).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_SYSTEM", errno: 2, syscall: "open" }),
  );
});

test("a lock holds against another process, and ends with its holder", async () => {
  const path = join(dir, "other.pid");
  const program = `const fd = require(${JSON.stringify(bindingPath())}).lockFile(${JSON.stringify(path)}, 0o640);
    process.stdout.write(fd === undefined ? "refused" : "locked"); process.stdin.resume();`;
  const holder: ChildProcess = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  expect(String((await once(holder.stdout!, "data"))[0])).toBe("locked");
  expect(service.tryLockFile(path)).toBeUndefined();
  holder.stdin!.end();
  holder.kill("SIGKILL");
  await once(holder, "exit");
  service.tryLockFile(path)?.release();
});

test.each(["file", "abstract"])("notify sends a datagram to a %s socket", async (kind) => {
  const address = kind === "file" ? join(dir, "notify.sock") : `@verbena-notify-${process.pid}`;
  const receiver = spawn(join(dirname(bindingPath()), "receive-datagram"), [address], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("ready");
    expect(new NativeProcessService(loadBinding(), { NOTIFY_SOCKET: address }).notify("READY=1\nSTATUS=up")).toBe(true);
    expect((await lines.next()).value).toBe("READY=1");
    expect((await lines.next()).value).toBe("STATUS=up");
  } finally {
    receiver.kill();
  }
});

test("a notify socket that nobody reads is a coded error", () => {
  const lonely = new NativeProcessService(loadBinding(), { NOTIFY_SOCKET: join(dir, "nobody") });
  expect(() => lonely.notify("READY=1")).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_SYSTEM", errno: 2, syscall: "sendto" }),
  );
});

test("descriptors are looked at one by one, whatever their order", async () => {
  const unix = createServer().listen(join(dir, "passed.sock"));
  const tcp = createServer().listen(0, "127.0.0.1");
  await Promise.all([once(unix, "listening"), once(tcp, "listening")]);
  const file = openSync("/dev/null", "r");
  const program = `const b = require(${JSON.stringify(bindingPath())});
    process.stdout.write(JSON.stringify([3, 4, 5, 6].map((fd) => b.describeSocket(fd) ?? null)));`;
  const stdio: StdioOptions = ["ignore", "pipe", "inherit", file, descriptorOf(tcp), descriptorOf(unix)];
  const child = spawn(process.execPath, ["-e", program], { stdio });
  const [output] = (await once(child.stdout!, "data")) as [Buffer];
  expect(JSON.parse(String(output))).toEqual([
    null,
    { family: 2, type: 1, protocol: 6, isListening: true },
    { family: 1, type: 1, protocol: 0, isListening: true },
    null,
  ]);
  closeSync(file);
  unix.close();
  tcp.close();
});
