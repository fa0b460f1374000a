import { planLibraries } from "./library-plan.js";

const fabric = { dir: "/tmp/f", node: "H1", library: "/opt/libfabricsim.so" };

test("the system's names without anything set", () => {
  expect(planLibraries({}, {})).toEqual({
    verbs: "libibverbs.so.1",
    umad: "libibumad.so.3",
    rdmacm: "librdmacm.so.1",
    fabric: undefined,
  });
});

test("environment variables, empty ones ignored", () => {
  const env = { VERBENA_LIBIBVERBS: "/v.so", VERBENA_LIBIBUMAD: "", VERBENA_LIBRDMACM: "/c.so" };
  expect(planLibraries({}, env)).toMatchObject({ verbs: "/v.so", umad: "libibumad.so.3", rdmacm: "/c.so" });
});

test("FABRICSIM_DIR makes both libraries the simulator's", () => {
  const env = { FABRICSIM_DIR: "/tmp/f", FABRICSIM_NODE: "H1,H2" };
  expect(planLibraries({}, env)).toEqual({
    verbs: "libfabricsim.so",
    umad: "libfabricsim.so",
    rdmacm: "libfabricsim.so",
    fabric: { library: "libfabricsim.so", dir: "/tmp/f", nodes: "H1,H2", isExplicit: false },
  });
  expect(planLibraries({}, { ...env, VERBENA_LIBFABRICSIM: "/s.so" }).umad).toBe("/s.so");
});

test("a path in the environment wins over FABRICSIM_DIR", () => {
  const env = { FABRICSIM_DIR: "/tmp/f", VERBENA_LIBIBUMAD: "/u.so" };
  expect(planLibraries({}, env)).toMatchObject({ umad: "/u.so", verbs: "libfabricsim.so" });
});

test("an explicit fabric wins over the environment, an explicit path over both", () => {
  const env = { FABRICSIM_DIR: "/other", VERBENA_LIBIBUMAD: "/u.so", VERBENA_LIBIBVERBS: "/v.so" };
  expect(planLibraries({ fabric, libibverbs: "/mine.so" }, env)).toEqual({
    verbs: "/mine.so",
    umad: "/opt/libfabricsim.so",
    rdmacm: "/opt/libfabricsim.so",
    fabric: { library: "/opt/libfabricsim.so", dir: "/tmp/f", nodes: "H1", isExplicit: true },
  });
});
