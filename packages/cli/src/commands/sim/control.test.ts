import { controlFabric } from "./control.js";

const silent = { out: () => undefined, err: () => undefined };

describe("controlFabric", () => {
  it("says of a scenario that cannot be read that it is the file, before it looks for a fabric", async () => {
    await expect(controlFabric(["scenario", "/nowhere/faults"], { dir: "/nowhere" }, silent)).rejects.toMatchObject({
      code: "VERBENA_CLI_FILE",
      message: expect.stringMatching(/^cannot use \/nowhere\/faults: .*ENOENT/) as string,
    });
  });
});
