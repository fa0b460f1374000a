/** What unmodified programs of Debian import from libibverbs and libibumad, `libfabricsim.so` exports under the same versions. */
import { execFileSync } from "node:child_process";
import { libfabricsimPath } from "@verbena/fabric-sim";
import { find, missing } from "./sim-programs.js";

/** By Debian package. librdmacm stays Debian's: perftest calls it only where its option -R asks for connections by it. */
const PROGRAMS = {
  ibacm: ["ib_acme", "ibacm"],
  opensm: ["opensm"],
  "infiniband-diags": [
    ...["saquery", "smpquery", "sminfo", "smpdump", "vendstat", "perfquery", "ibaddr", "ibping", "ibroute", "ibstat"],
    ...[
      "ibportstate",
      "iblinkinfo",
      "ibnetdiscover",
      "ibqueryerrors",
      "ibtracert",
      "ibsysstat",
      "ibccquery",
      "ibccconfig",
    ],
  ],
  "ibverbs-utils": [
    ...["ibv_devices", "ibv_devinfo", "ibv_asyncwatch", "ibv_ud_pingpong", "ibv_rc_pingpong", "ibv_uc_pingpong"],
    ...["ibv_srq_pingpong", "ibv_xsrq_pingpong"],
  ],
  perftest: [
    ...[
      "ib_send_lat",
      "ib_send_bw",
      "ib_write_lat",
      "ib_write_bw",
      "ib_read_lat",
      "ib_read_bw",
      "ib_atomic_lat",
      "ib_atomic_bw",
    ],
  ],
} as const;

/** Symbols with their versions, `name@VERSION`; a symbol without a version stands as `name`. */
function symbols(which: "--defined-only" | "--undefined-only", file: string): readonly string[] {
  const lines = execFileSync("nm", ["-D", which, file], { encoding: "utf8", maxBuffer: 1 << 26 }).split("\n");
  return lines.map((line) => (line.trim().split(/\s+/).at(-1) ?? "").replace("@@", "@")).filter((name) => name !== "");
}

describe.each(Object.entries(PROGRAMS))("imports of the programs of %s", (_name, programs) => {
  const reason = missing("nm", ...programs);
  const each = reason === undefined ? it.each : it.skip.each;

  each(programs.map((program) => [program, reason ?? "all exported"]))("%s: %s", (program) => {
    const exported = new Set(symbols("--defined-only", libfabricsimPath()));
    const imported = symbols("--undefined-only", find(program) ?? program).filter((name) =>
      /@(IBVERBS|IBUMAD)_/.test(name),
    );
    // A symbol without a version satisfies every version, as rdma-core's private ones need it.
    const absent = imported.filter((name) => !exported.has(name) && !exported.has(name.replace(/@.*/, "")));
    expect(absent).toEqual([]);
  });
});

describe("imports of the programs of this test", () => {
  const reason = missing("nm", "ibv_devinfo");
  (reason === undefined ? it : it.skip)(`are seen${reason === undefined ? "" : `: ${reason}`}`, () => {
    // Guards against an nm whose output has another form: then nothing would be imported, and everything exported.
    expect(symbols("--undefined-only", find("ibv_devinfo") ?? "")).toContain("ibv_query_device@IBVERBS_1.1");
    expect(symbols("--defined-only", libfabricsimPath())).toContain("ibv_query_device@IBVERBS_1.1");
  });
});
