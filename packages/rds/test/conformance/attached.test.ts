import { AttachedRig } from "./attached-rig.js";
import { GROUPS } from "./groups.js";

describe.each([1, 2])("with %d attached programs", (programs) => {
  // The device is the smaller and the larger of the two addresses.
  describe.each(["10.0.0.9", "10.0.0.1"])("with a peer at %s", (peerAddress) => {
    let rig: AttachedRig;
    beforeAll(() => {
      rig = new AttachedRig(peerAddress, programs);
    });
    afterEach(() => rig.reset());
    afterAll(() => rig.close());
    for (const group of GROUPS) group("attached sockets", () => rig);
  });
});
