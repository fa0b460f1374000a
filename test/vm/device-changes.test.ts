import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { openNative } from "@verbena/native";
import { RxeDevice, start } from "./rxe-device.js";

describe("a device that changes", () => {
  test("link down and up: an event each, and what both libraries read follows", async () => {
    using device = new RxeDevice("rxe8", "rdma8", "10.0.8.1/24");
    await using native = openNative();
    await using context = native.verbs.open("rxe8");
    const events = context.events();
    const states = () => [context.queryPort(1).state, native.umad.queryPort("rxe8", 1)?.state];
    assert.deepEqual(states(), ["active", "active"]);
    device.linkDown();
    assert.deepEqual(await events.next(), { done: false, value: { type: "port-err", port: 1 } });
    assert.deepEqual(states(), ["down", "down"]);
    device.linkUp();
    assert.deepEqual(await events.next(), { done: false, value: { type: "port-active", port: 1 } });
    assert.deepEqual(states(), ["active", "active"]);
  });

  test("new addresses are new GIDs, each announced by an event", async () => {
    using device = new RxeDevice("rxe8", "rdma8", "10.0.8.1/24");
    await using native = openNative();
    await using context = native.verbs.open("rxe8");
    const events = context.events();
    const before = context.gids(1);
    device.ip(`addr add 10.0.8.2/24 dev ${device.netdev}`);
    assert.deepEqual(await events.next(), { done: false, value: { type: "gid-change", port: 1 } });
    assert.equal(context.gids(1).length, before.length + 1);
    device.ip(`addr del 10.0.8.2/24 dev ${device.netdev}`);
    assert.deepEqual(await events.next(), { done: false, value: { type: "gid-change", port: 1 } });
    assert.deepEqual(context.gids(1), before);
  });

  test("a device that is removed ends what waits on its umad port, and is listed no more", async () => {
    using device = new RxeDevice("rxe8", "rdma8", "10.0.8.1/24");
    await using native = openNative();
    await using port = native.umad.openPort("rxe8", 1);
    const agent = port.registerAgent({ mgmtClass: 0x0a, classVersion: 1 });
    const waiting = agent.messages().next();
    const removal = start("rdma", `link delete ${device.device}`);
    await assert.rejects(waiting, { code: "VERBENA_NATIVE_RECEIVE", errno: 5, syscall: "umad_recv" });
    await once(removal, "exit");
    assert.equal(native.umad.queryPort("rxe8", 1), undefined);
    assert.deepEqual(
      native.umad.listPorts().map((found) => found.device),
      ["rxe0", "rxe1"],
    );
  });
});
