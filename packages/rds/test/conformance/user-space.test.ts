import { GROUPS } from "./groups.js";
import { UserSpaceRig } from "./user-space-rig.js";

// The device is the smaller and the larger of the two addresses.
describe.each(["10.0.0.9", "10.0.0.1"])("with a peer at %s", (peerAddress) => {
  let rig: UserSpaceRig;
  beforeAll(() => {
    rig = new UserSpaceRig(peerAddress);
  });
  afterEach(() => rig.reset());
  afterAll(() => rig.close());
  for (const group of GROUPS) group("user-space engine", () => rig);
});
