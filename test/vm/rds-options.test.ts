import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { IpAddress } from "@verbena/ib";
import { type KernelRdsMessage, type KernelRdsSocket, openNative } from "@verbena/native";
import { inNamespace } from "./namespaces.js";

const SOL_RDS = 276;
const RXPATH_LATENCY = 10;
const at = (address: string, port: number) => ({ address: IpAddress.parse(address), port });

/** The next message, whenever it comes. */
async function nextMessage(socket: KernelRdsSocket): Promise<KernelRdsMessage> {
  const happened = new EventTarget();
  socket.onReady(
    () => happened.dispatchEvent(new Event("ready")),
    (error) => assert.fail(error),
  );
  for (;;) {
    const message = socket.receive();
    if (typeof message !== "number") return message;
    const ready = once(happened, "ready");
    socket.watch({ readable: true });
    await ready;
    socket.watch({});
  }
}

describe("options of the kernel's sockets", () => {
  test("D16 latencies of the receive path, at three points, and the type of service of TCP: none", async () => {
    await using native = openNative();
    const sender = inNamespace("A", () => native.kernelRds.open());
    const receiver = inNamespace("B", () => native.kernelRds.open());
    sender.bind(at("10.0.0.1", 4300));
    receiver.bind(at("10.0.0.2", 4300));
    receiver.setOption(SOL_RDS, RXPATH_LATENCY, Buffer.from([3, 0, 1, 2]));
    receiver.setControlSize(112);
    assert.equal(sender.send(Buffer.from("timed"), at("10.0.0.2", 4300)), 5);
    const { data, source, control } = await nextMessage(receiver);
    assert.deepEqual([data.toString(), source], ["timed", at("10.0.0.1", 4300)]);
    // Number of points, the points, padding up to 8, then 64 bits of nanoseconds for each.
    assert.deepEqual([control.length, control[0]?.type, control[0]?.data.length], [1, 11, 32]);
    assert.deepEqual([...(control[0]?.data.subarray(0, 4) ?? [])], [3, 0, 1, 2]);
    assert.equal(sender.typeOfService(), 0);
  });
});
