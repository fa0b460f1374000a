import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libfabricsimPath, type RunningFabric, startFabricThread, twoLevel } from "@verbena/fabric-sim";
import {
  type AccessFlag,
  type AddressAttributes,
  type CompletionQueue,
  type Context,
  type Native,
  openNative,
  type ProtectionDomain,
  type QueuePair,
  type QueuePairOptions,
  type QueuePairType,
} from "../src/index.js";
import { portAddress } from "./port-address.js";

/** Q_Key of the datagram queue pairs of the tests. */
export const QKEY = 0x1111_1111;

/** Name of the real device that the suites run on; empty: they make a simulated one. */
export const realDevice = process.env["VERBENA_TEST_DEVICE"] ?? "";

/** How often something is done: on a real device less often, which is reached under emulation and takes fifty times as long. */
export const often = (simulated: number, real: number): number => (realDevice === "" ? simulated : real);

const ALL: readonly AccessFlag[] = ["local-write", "remote-write", "remote-read", "remote-atomic"];

/**
 * A device for tests: of a simulated fabric, or the real one that VERBENA_TEST_DEVICE names. Tests ask it for what it can, never who it is.
 */
export class Rig {
  private constructor(
    readonly native: Native,
    readonly device: string,
    /** Attributes that a worker or another process opens the same device with. */
    readonly options: Parameters<typeof openNative>[0],
    private readonly fabric: RunningFabric | undefined,
    private readonly dir: string | undefined,
  ) {}

  static async start(): Promise<Rig> {
    if (realDevice !== "") return new Rig(openNative(), realDevice, {}, undefined, undefined);
    const dir = mkdtempSync(join(tmpdir(), "verbena-rdma-"));
    const fabric = await startFabricThread({ topology: twoLevel({ hosts: 2 }), dir: join(dir, "fabric") });
    // A process joins one fabric for life, and jest's processes run many files: a copy of the library is one that nobody has used.
    const library = join(dir, "libfabricsim.so");
    copyFileSync(libfabricsimPath(), library);
    const options = { fabric: { dir: fabric.dir, node: "H1", library } };
    return new Rig(openNative(options), "sim0", options, fabric, dir);
  }

  get isSimulated(): boolean {
    return this.fabric !== undefined;
  }

  /** Options for another process: on a simulated fabric it is another node, since a node is one process. */
  get optionsOfPeer(): Parameters<typeof openNative>[0] {
    return this.options?.fabric === undefined
      ? this.options
      : { ...this.options, fabric: { ...this.options.fabric, node: "H2" } };
  }

  open(): Promise<Bench> {
    return Bench.of(this.native.verbs.open(this.device));
  }

  async close(): Promise<void> {
    await this.native.close();
    await this.fabric?.close();
    if (this.dir !== undefined) rmSync(this.dir, { recursive: true });
  }
}

/** An open device and what nearly every test needs of it. */
export class Bench implements AsyncDisposable {
  private constructor(
    readonly context: Context,
    readonly pd: ProtectionDomain,
  ) {}

  static async of(context: Context): Promise<Bench> {
    return new Bench(context, await context.createProtectionDomain());
  }

  /** The way from the port to itself. */
  get toSelf(): AddressAttributes {
    return portAddress(this.context);
  }

  /** Memory with every access. */
  allocate(length: number): ReturnType<ProtectionDomain["allocate"]> {
    return this.pd.allocate(length, { access: ALL });
  }

  queue(options: Partial<Parameters<Context["createCompletionQueue"]>[0]> = {}): Promise<CompletionQueue> {
    return this.context.createCompletionQueue({ depth: 512, ...options });
  }

  /** Two queue pairs connected with each other, or two of datagrams. */
  async pair(
    type: QueuePairType,
    cq: CompletionQueue,
    options: Partial<QueuePairOptions> & { readonly rnrRetry?: number } = {},
  ): Promise<readonly [QueuePair, QueuePair]> {
    const { rnrRetry = 7, ...more } = options;
    const create = (): Promise<QueuePair> => this.pd.createQueuePair({ type, sendCq: cq, ...more });
    const [a, b] = await Promise.all([create(), create()]);
    for (const [own, peer] of [[a, b] as const, [b, a] as const]) {
      await own.toInit(type === "ud" ? { qkey: QKEY } : { access: ALL });
      const connected = { destQpn: peer.qpn, address: this.toSelf, maxDestRdAtomic: 4, minRnrTimer: 1 };
      await own.toRtr(type === "ud" ? {} : connected);
      await own.toRts({ rnrRetry, maxRdAtomic: 4, timeout: 8, retryCnt: 1 });
    }
    return [a, b];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.context.close();
  }
}
