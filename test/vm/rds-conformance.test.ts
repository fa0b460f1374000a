import { GROUPS, GROUPS_WITH_PEER } from "../../packages/rds/test/conformance/groups.js";
import { HOST_A, HOST_B, KernelRig } from "./kernel-rig.js";

// The device is the smaller of the two addresses, then the larger.
describe.each([
  ["with a larger peer", HOST_A, HOST_B, GROUPS],
  ["with a smaller peer", HOST_B, HOST_A, GROUPS_WITH_PEER],
])("%s", (_name, own, other, groups) => {
  let rig: KernelRig;
  beforeAll(() => {
    rig = new KernelRig(own, other);
  });
  afterEach(() => rig.reset());
  afterAll(() => rig.close());
  for (const group of groups) group("the kernel", () => rig);
});
