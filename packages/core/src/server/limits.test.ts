import { clientsWithin, openFilesLimit } from "./limits.js";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             unlimited            unlimited            processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
`;

describe("clients within the limit on open files", () => {
  it("reads the soft limit", () => {
    expect(openFilesLimit(LIMITS)).toBe(1024);
    expect(
      openFilesLimit("Max open files            unlimited            unlimited            files\n"),
    ).toBeUndefined();
    expect(openFilesLimit("")).toBeUndefined();
  });

  it.each([
    [16_384, 524_288, 16_384],
    [16_384, 1_024, 896],
    [16_384, 200, 100],
    [16_384, 1, 1],
    [50, 1_024, 50],
    [16_384, undefined, 16_384],
  ])("of %d clients with %s descriptors takes %d", (wanted, nofile, expected) => {
    expect(clientsWithin(wanted, nofile)).toBe(expected);
  });
});
