import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenerFor, publishRendezvous } from "./rendezvous.js";

describe("publishRendezvous", () => {
  let runDir = "";
  beforeEach(() => {
    runDir = mkdtempSync(join(tmpdir(), "acm-run-"));
    for (const name of ["ibacm-tcp.port", "ibacm.port", "ibacm.sock", "ibacm-unix.sock"])
      writeFileSync(join(runDir, name), "9");
  });
  afterEach(() => {
    rmSync(runDir, { recursive: true });
  });
  const names = (): string[] => readdirSync(runDir).sort();

  it("unix: links the second name to the socket and removes the port files", () => {
    expect(listenerFor({ runDir, mode: "unix", port: 6125 })).toEqual({
      kind: "unix",
      path: join(runDir, "ibacm-unix.sock"),
    });
    const withdraw = publishRendezvous({ runDir, mode: "unix", port: 6125, acmePlusKernelOnly: false });
    expect(names()).toEqual(["ibacm-unix.sock", "ibacm.sock"]);
    expect(readlinkSync(join(runDir, "ibacm.sock"))).toBe("ibacm-unix.sock");
    withdraw();
    expect(names()).toEqual(["ibacm-unix.sock"]); // the server takes its own socket away
  });

  it.each(["loop", "open"] as const)("%s: writes the port file, links it, and removes the socket's names", (mode) => {
    expect(listenerFor({ runDir, mode, port: 6125 })).toEqual({ kind: mode, port: 6125 });
    const withdraw = publishRendezvous({ runDir, mode, port: 6125, acmePlusKernelOnly: false });
    expect(names()).toEqual(["ibacm-tcp.port", "ibacm.port"]);
    expect(readFileSync(join(runDir, "ibacm-tcp.port"), "utf8")).toBe("6125\n");
    expect(readlinkSync(join(runDir, "ibacm.port"))).toBe("ibacm-tcp.port");
    withdraw();
    expect(names()).toEqual([]);
  });

  it("withholds the second name from librdmacm on request", () => {
    publishRendezvous({ runDir, mode: "unix", port: 6125, acmePlusKernelOnly: true });
    expect(names()).toEqual(["ibacm-unix.sock"]);
    publishRendezvous({ runDir, mode: "loop", port: 7001, acmePlusKernelOnly: true });
    expect(names()).toEqual(["ibacm-tcp.port"]);
    expect(lstatSync(join(runDir, "ibacm-tcp.port")).mode & 0o777).toBe(0o644);
  });

  it("says which folder it cannot write", () => {
    const gone = join(runDir, "gone");
    expect(() => publishRendezvous({ runDir: gone, mode: "loop", port: 1, acmePlusKernelOnly: false })).toThrow(
      expect.objectContaining({ code: "VERBENA_SERVER_RENDEZVOUS" }) as Error,
    );
  });
});
