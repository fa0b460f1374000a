import { groupA } from "./group-a.js";
import { groupB } from "./group-b.js";
import { groupC } from "./group-c.js";
import { groupD } from "./group-d.js";
import { groupF } from "./group-f.js";
import { groupG } from "./group-g.js";
import { groupH } from "./group-h.js";
import { groupL } from "./group-l.js";
import { UserSpaceRig } from "./user-space-rig.js";

const GROUPS = [groupA, groupB, groupC, groupD, groupL, groupF, groupG, groupH];

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
