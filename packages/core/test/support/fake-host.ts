import { Guid, Lid } from "@verbena/ib";
import { systemClock } from "../../src/host/default-services.js";
import { FakeNative } from "../../src/testing/fake-native.js";

/** A host with one active port: device `fake0`, LID 4, GID fe80::10:1. */
export function fakeHost(): FakeNative {
  return new FakeNative({
    clock: systemClock,
    devices: [
      {
        name: "fake0",
        nodeGuid: Guid.from(0x100000n),
        ports: [{ port: 1, portGuid: Guid.from(0x100001n), lid: Lid.from(4) }],
      },
    ],
  });
}
