import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Served, startServe } from "../../packages/cli/test/support/serve.js";
import { type AcmNode, addressFile } from "./acm-node.js";

/** How to start a daemon of ours. */
export interface VerbenaNodeOptions {
  /** Directory of our fabric. */
  readonly fabric: string;
  readonly node: string;
  readonly addresses: readonly string[];
  /** Lines of its options file, which is ibacm's. */
  readonly options?: readonly string[];
  /** Text of a `verbena.yaml` beside it. */
  readonly config?: string;
}

/** `verbena serve` on a node of our fabric, with the same kinds of files that an ibacm gets. */
export class VerbenaNode implements AcmNode {
  private constructor(
    private readonly options: VerbenaNodeOptions,
    private readonly served: Served,
    private readonly dir: string,
  ) {}

  static async start(options: VerbenaNodeOptions): Promise<VerbenaNode> {
    const { fabric, node, addresses, options: lines = [], config } = options;
    const dir = mkdtempSync(join(fabric, "..", "ours-"));
    const write = (name: string, text: string): string => {
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    };
    const own = ["log_file stderr", `lock_file ${join(dir, "lock")}`, "support_ips_in_addr_cfg 1"];
    const files = [
      ...["-A", write("addresses", addressFile(addresses))],
      ...["-O", write("options", [...own, ...lines, ""].join("\n"))],
      ...(config === undefined ? [] : ["--config", write("verbena.yaml", config)]),
    ];
    const served = await startServe(["--fabric", fabric, "--node", node, ...files], join(dir, "s"));
    return new VerbenaNode(options, served, dir);
  }

  get node(): string {
    return this.options.node;
  }

  get socket(): string {
    return this.served.socket;
  }

  get control(): Served["control"] {
    return this.served.control;
  }

  /** Waits for a line of its log that fits and has not been waited for yet. */
  logged(pattern: RegExp): Promise<string> {
    return this.served.logged(pattern);
  }

  /** Waits until it is in every group that its ports can carry. */
  async groupsJoined(): Promise<void> {
    for (;;) {
      const { endpoints } = await this.control.endpoints();
      const states = endpoints.flatMap(({ groups = [] }) => groups.map(({ state }) => state));
      if (states.length > 0 && states.every((state) => state === "joined" || state === "left-out")) return;
    }
  }

  /** Gives it other names and addresses while it runs. */
  async readdress(addresses: readonly string[]): Promise<void> {
    writeFileSync(join(this.dir, "addresses"), addressFile(addresses));
    await this.control.reload();
  }

  /** Ends it and starts another with the same contents of files. */
  async restarted(options: Partial<VerbenaNodeOptions> = {}): Promise<VerbenaNode> {
    await this[Symbol.asyncDispose]();
    return VerbenaNode.start({ ...this.options, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.served[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
