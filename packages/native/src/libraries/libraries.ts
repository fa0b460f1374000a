import { VerbenaError } from "@verbena/ib";
import type { Availability, LibraryAvailability, NativeOptions } from "../api/services.js";
import type { NativeBinding, UmadLibraryBinding, VerbsLibraryBinding } from "../binding.js";
import { NATIVE_ERRORS } from "../errors.js";
import { errnoName, failure, reasonOf } from "../failure.js";
import type { Environment } from "../load-binding.js";
import { type LibraryPlan, planLibraries } from "./library-plan.js";

const NO_KERNEL_HINT =
  "Load the kernel's RDMA modules (modprobe ib_uverbs ib_umad), or join a simulated fabric ('verbena sim run', option fabric).";

/** Loads the libraries of one plan, each at its first use. */
export class Libraries {
  readonly plan: LibraryPlan;
  #verbs: VerbsLibraryBinding | undefined;
  #umad: UmadLibraryBinding | undefined;
  #isAttached = false;

  constructor(
    private readonly binding: NativeBinding,
    options: NativeOptions,
    env: Environment,
  ) {
    this.plan = planLibraries(options, env);
  }

  /** Throws `VERBENA_NATIVE_LIBRARY` or `VERBENA_NATIVE_FABRIC`. */
  verbs(): VerbsLibraryBinding {
    this.#attach();
    this.#verbs ??= this.#load(this.plan.verbs, "libibverbs1", "VERBENA_LIBIBVERBS", (path) =>
      this.binding.openVerbs(path),
    );
    return this.#verbs;
  }

  /** Throws `VERBENA_NATIVE_LIBRARY` or `VERBENA_NATIVE_FABRIC`. */
  umad(): UmadLibraryBinding {
    this.#attach();
    this.#umad ??= this.#load(this.plan.umad, "libibumad3", "VERBENA_LIBIBUMAD", (path) => this.binding.openUmad(path));
    return this.#umad;
  }

  /** What can be used and, where something cannot, why and what to do. Loads the libraries. */
  availability(): Omit<Availability, "addon"> {
    return {
      verbs: this.#try(this.plan.verbs, () => this.verbs().devices()),
      umad: this.#try(this.plan.umad, () => this.umad()),
    };
  }

  #try(path: string, use: () => unknown): LibraryAvailability {
    try {
      use();
      return { available: true, path };
    } catch (cause) {
      if (errnoName(cause) === "ENOSYS") {
        // libibverbs loads everywhere; without the kernel's part its device list is NULL with ENOSYS.
        const reason = `${path} is installed, but this kernel has no RDMA support (${reasonOf(cause)})`;
        return { available: false, reason, hint: NO_KERNEL_HINT };
      }
      const hint = (VerbenaError.is(cause) ? cause.hint : undefined) ?? NO_KERNEL_HINT;
      return { available: false, reason: reasonOf(cause), hint };
    }
  }

  /** Explicit nodes are named before the first use: the library chooses its HCAs when it is first asked for devices. */
  #attach(): void {
    const { fabric } = this.plan;
    if (fabric === undefined || !fabric.isExplicit || this.#isAttached) return;
    const { library, dir, nodes = "" } = fabric;
    try {
      this.binding.attachFabric(library, dir, nodes);
    } catch (cause) {
      throw failure("VERBENA_NATIVE_FABRIC", { dir, node: nodes }, cause, fabricHint(errnoName(cause)));
    }
    this.#isAttached = true;
  }

  #load<T>(path: string, debianPackage: string, variable: string, open: (path: string) => T): T {
    try {
      return open(path);
    } catch (cause) {
      throw failure("VERBENA_NATIVE_LIBRARY", { library: path, package: debianPackage, variable }, cause);
    }
  }
}

/** What `fabricsim_attach` means by its errnos. */
function fabricHint(errno: string | undefined): string {
  switch (errno) {
    case undefined:
      return "Build the simulator's library with scripts/bootstrap.";
    case "EBUSY":
      return "A process is on one fabric, as one set of nodes, for all its life; start another process for another node.";
    case "EACCES":
      return "This user may not connect to the fabric: be the user who runs it, or get write access to the sockets in its directory.";
    case "EPROTO":
      return "The fabric and its library are of different versions; restart the fabric from the same installation.";
    default:
      return NATIVE_ERRORS.VERBENA_NATIVE_FABRIC.hint;
  }
}
