import { Lid } from "@verbena/ib";
import { FakeUmadPort, makeBatch, systemError } from "../../test/fake-binding.js";
import { take } from "../../test/support.js";
import { OpenUmadPort } from "./umad-port.js";

const SA = { mgmtClass: 3, classVersion: 1, rmppVersion: 1 } as const;
const TO = { to: { lid: Lid.from(1), qpn: 1 }, timeoutMs: 2000, retries: 2 } as const;

const open = () => {
  const binding = new FakeUmadPort();
  const gone: OpenUmadPort[] = [];
  const port = new OpenUmadPort(binding, "mlx5_0", 1, (closed) => gone.push(closed));
  return { binding, port, gone };
};

test("registers with what libibumad wants, and reads only then", () => {
  const { binding, port } = open();
  const agent = port.registerAgent(SA);
  expect(agent.agentId).toBe(0);
  port.registerAgent({ mgmtClass: 0x2c, classVersion: 1, methods: [1, 3] });
  expect(binding.calls).toEqual(["start", "register [3,1,1,[]]", "register [44,1,0,[1,3]]"]);
});

test("messages go to the agent they are for", async () => {
  const { binding, port } = open();
  const first = port.registerAgent(SA);
  const second = port.registerAgent(SA);
  binding.onMessages(
    makeBatch([1, 0, Buffer.from("aa", "hex")], [0, 110, Buffer.from("bb", "hex")], [9, 0, Buffer.alloc(8)]),
  );
  expect(await take(first.messages(), 1)).toMatchObject([{ status: 110, mad: Buffer.from("bb", "hex") }]);
  expect(await take(second.messages(), 1)).toMatchObject([{ status: 0, mad: Buffer.from("aa", "hex") }]);
});

test("send hands over header, MAD, time-out and retries", () => {
  const { binding, port } = open();
  port.registerAgent(SA).send(Buffer.from("0103", "hex"), TO);
  expect(binding.sent).toMatchObject([{ agentId: 0, timeoutMs: 2000, retries: 2 }]);
  expect(binding.sent[0]?.message.subarray(64).toString("hex")).toBe("0103");
});

test("a refused send is a coded error with errno", () => {
  const { binding, port } = open();
  const agent = port.registerAgent(SA);
  binding.sendError = systemError("EINVAL", 22, "umad_send");
  expect(() => agent.send(Buffer.alloc(256), TO)).toThrow(
    expect.objectContaining({ code: "VERBENA_NATIVE_SEND", errno: 22, syscall: "umad_send" }),
  );
});

test("a full queue pauses the port; it resumes when no queue is full", async () => {
  const { binding, port } = open();
  const slow = port.registerAgent(SA);
  const slower = port.registerAgent(SA);
  binding.calls.length = 0;
  const flood = (agentId: number) =>
    binding.onMessages(makeBatch(...Array.from({ length: 256 }, () => [agentId, 0, Buffer.alloc(8)] as const)));
  flood(0);
  flood(1);
  expect(binding.calls).toEqual(["reading false"]);
  await take(slow.messages(), 200);
  expect(binding.calls).toEqual(["reading false"]);
  await take(slower.messages(), 200);
  expect(binding.calls).toEqual(["reading false", "reading true"]);
});

test("a full queue that closes no longer holds the port up", async () => {
  const { binding, port } = open();
  const slow = port.registerAgent(SA);
  binding.onMessages(makeBatch(...Array.from({ length: 300 }, () => [0, 0, Buffer.alloc(8)] as const)));
  await slow.close();
  expect(binding.calls.slice(-3)).toEqual(["reading false", "reading true", "unregister 0"]);
});

test("a failure of the port reaches every agent, the later ones too", async () => {
  const { binding, port } = open();
  const agent = port.registerAgent(SA);
  const pending = agent.messages().next();
  binding.onFailure(systemError("ENODEV", 19, "umad_recv"));
  const lost = { code: "VERBENA_NATIVE_RECEIVE", errno: 19, syscall: "umad_recv" };
  await expect(pending).rejects.toMatchObject(lost);
  await expect(port.registerAgent(SA).messages().next()).rejects.toMatchObject(lost);
});

test("closing the port closes its agents, ends their iterators, and tells the parent once", async () => {
  const { binding, port, gone } = open();
  const agent = port.registerAgent(SA);
  const pending = agent.messages().next();
  await Promise.all([port.close(), port.close()]);
  await port.close();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(binding.calls.slice(-2)).toEqual(["unregister 0", "close"]);
  expect(gone).toEqual([port]);
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  expect(() => agent.send(Buffer.alloc(256), TO)).toThrow(closed);
  expect(() => agent.messages()).toThrow(closed);
  expect(() => port.registerAgent(SA)).toThrow(closed);
});
