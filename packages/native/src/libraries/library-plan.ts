import type { NativeOptions } from "../api/services.js";
import type { Environment } from "../load-binding.js";

/** The simulated fabric to join before any library is used. */
export interface FabricPlan {
  readonly library: string;
  readonly dir: string;
  /** Comma list of nodes; `undefined` leaves the choice to the library, which reads `FABRICSIM_NODE` itself. */
  readonly nodes: string | undefined;
  /** True if the options name it: then the library must be told. */
  readonly isExplicit: boolean;
}

/** Which libraries to load; see {@link planLibraries}. */
export interface LibraryPlan {
  readonly verbs: string;
  readonly umad: string;
  readonly rdmacm: string;
  readonly fabric: FabricPlan | undefined;
}

const SYSTEM = { verbs: "libibverbs.so.1", umad: "libibumad.so.3", rdmacm: "librdmacm.so.1" } as const;

const given = (text: string | undefined): string | undefined => (text === undefined || text === "" ? undefined : text);

/**
 * Chooses the libraries, first match wins for each: the path in the options; the fabric in the options; `VERBENA_LIBIBVERBS`,
 * `VERBENA_LIBIBUMAD`, `VERBENA_LIBRDMACM`; the simulator's library if `FABRICSIM_DIR` is set (its path in `VERBENA_LIBFABRICSIM`, else
 * `libfabricsim.so` as the loader finds it, for example preloaded); the system's names.
 */
export function planLibraries(options: NativeOptions, env: Environment): LibraryPlan {
  const fabric = planFabric(options, env);
  const choose = (explicit: string | undefined, variable: string, system: string): string =>
    given(explicit) ?? (options.fabric === undefined ? given(env[variable]) : undefined) ?? fabric?.library ?? system;
  return {
    verbs: choose(options.libibverbs, "VERBENA_LIBIBVERBS", SYSTEM.verbs),
    umad: choose(options.libibumad, "VERBENA_LIBIBUMAD", SYSTEM.umad),
    rdmacm: choose(options.librdmacm, "VERBENA_LIBRDMACM", SYSTEM.rdmacm),
    fabric,
  };
}

function planFabric(options: NativeOptions, env: Environment): FabricPlan | undefined {
  if (options.fabric !== undefined) {
    const { library, dir, node } = options.fabric;
    return { library, dir, nodes: node, isExplicit: true };
  }
  const dir = given(env["FABRICSIM_DIR"]);
  if (dir === undefined) return undefined;
  const library = given(env["VERBENA_LIBFABRICSIM"]) ?? "libfabricsim.so";
  return { library, dir, nodes: given(env["FABRICSIM_NODE"]), isExplicit: false };
}
