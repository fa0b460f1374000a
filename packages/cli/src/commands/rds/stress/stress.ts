import type { IpAddress } from "@verbena/ib";
import type { RdsStack } from "@verbena/rds";
import { endOfWatch } from "../../../end-of-watch.js";
import { cliError } from "../../../errors.js";
import { EXIT, type ExitCode } from "../../../exit-code.js";
import type { Io } from "../../../io.js";
import { withStack } from "../stack.js";
import { type RefusedOptions, refuseUnsupported } from "../unsupported.js";
import { StressLink } from "./link.js";
import {
  checkLinkExtras,
  decodeLinkOptions,
  encodeLinkOptions,
  isLinkVersion,
  LINK_OPTIONS_BYTES,
  LINK_VERSION_BYTES,
  type LinkOptions,
} from "./link-options.js";
import { type StressOptions, type StressSettings, stressSettings } from "./settings.js";
import { runSide } from "./side.js";

const ANY = "0.0.0.0" as IpAddress;

/**
 * One side of a stress test, as rds-stress has it: without a destination the passive one, which is told by the active one what to do. Over
 * loopback, which does not leave the process, the active side brings its passive side along.
 */
export async function stressRds(options: StressOptions & RefusedOptions, io: Io): Promise<ExitCode> {
  refuseUnsupported(options);
  const settings = stressSettings(options);
  using ending = endOfWatch();
  const { signal } = ending;
  const run = new StressRun(options, settings, io, signal);
  try {
    if (settings.active === undefined) await run.passive();
    else if (options.transport === "loop") await run.both(settings.active);
    else await run.active(settings.active);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return EXIT.OK;
}

type Active = NonNullable<StressSettings["active"]>;

/** What the two sides have to do with each other before and after the run of the children. */
class StressRun {
  constructor(
    private readonly options: StressOptions,
    private readonly settings: StressSettings,
    private readonly io: Io,
    private readonly signal: AbortSignal,
  ) {}

  async passive(): Promise<void> {
    const { own, port } = this.settings;
    using link = await StressLink.accept(own ?? ANY, port, this.signal, () => {
      this.#say(`waiting for incoming connection on ${own ?? ANY}:${String(port)}\n`);
    });
    this.#say(`accepted connection from ${link.remote} on ${link.local}:${String(port)}\n`);
    await this.#withStack(own ?? link.local, (stack) => this.#play(link, own ?? link.local, stack, this.io));
  }

  async active({ peer, plan }: Active, shared?: RdsStack): Promise<void> {
    const { own, port } = this.settings;
    this.#say(`connecting to ${peer}:${String(port)}\n`);
    const to = { address: peer, port, local: own };
    using link = await StressLink.connect(to, plan.connectRetries, this.signal, (reason) => {
      this.#say(`${reason} - retrying\n`);
    });
    const receiveAddress = own ?? link.local;
    const whole = { ...plan, receiveAddress };
    if (plan.showsParams) this.#say(params(whole));
    const run = (stack: RdsStack): Promise<void> => {
      link.write(encodeLinkOptions(whole));
      return this.#run({ isActive: true, own: receiveAddress, peer, plan: whole, link, stack, io: this.io });
    };
    await (shared === undefined ? this.#withStack(receiveAddress, run) : run(shared));
  }

  /** Both in this process, by one stack. What the passive side would say nobody has asked for. */
  async both(active: Active): Promise<void> {
    const { own, port } = this.settings;
    if (own === undefined || own === active.peer) {
      const what = "over loopback the two sides have different addresses: name this one's with --recv-addr";
      throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what } });
    }
    await this.#withStack(own, async (stack) => {
      const silent = { out: () => undefined, err: this.io.err };
      const passive = async (onListening: () => void): Promise<void> => {
        using link = await StressLink.accept(active.peer, port, this.signal, onListening);
        await this.#play(link, active.peer, stack, silent);
      };
      await new Promise<void>((resolve, reject) => {
        const other = passive(() => {
          Promise.all([other, this.active(active, stack)]).then(() => {
            resolve();
          }, reject);
        });
        other.catch(reject);
      });
    });
  }

  /** The passive side, from the options on. */
  async #play(link: StressLink, own: IpAddress, stack: RdsStack, io: Io): Promise<void> {
    const plan = await this.#readOptions(link);
    await this.#run({ isActive: false, own, peer: plan.receiveAddress, plan, link, stack, io });
  }

  async #run(side: Omit<Parameters<typeof runSide>[0], "local">): Promise<void> {
    const { link } = side;
    const close = (): void => {
      link[Symbol.dispose]();
    };
    this.signal.addEventListener("abort", close);
    try {
      await runSide({ ...side, local: this.settings.local }, this.signal);
    } finally {
      this.signal.removeEventListener("abort", close);
    }
  }

  async #readOptions(link: StressLink): Promise<LinkOptions> {
    const head = await link.read(LINK_VERSION_BYTES);
    if (!isLinkVersion(head)) {
      return decodeLinkOptions(Buffer.concat([head, await link.read(LINK_OPTIONS_BYTES - LINK_VERSION_BYTES)]));
    }
    const bytes = await link.read(LINK_OPTIONS_BYTES);
    checkLinkExtras(await link.read(2));
    return decodeLinkOptions(bytes);
  }

  #withStack(local: IpAddress, use: (stack: RdsStack) => Promise<void>): Promise<void> {
    return withStack(this.options, local, use, { loopbackCongestion: true });
  }

  #say(text: string): void {
    if (!this.settings.local.isJson) this.io.out(text);
  }
}

function params({ tasks, requestBytes, ackBytes }: LinkOptions): string {
  const rows = [
    ["Tasks", tasks],
    ["Req size", requestBytes],
    ["ACK size", ackBytes],
    ["RDMA size", 0],
  ] as const;
  return `Options:\n${rows.map(([name, value]) => `  ${name.padEnd(10)} ${String(value).padEnd(7)}\n`).join("")}\n`;
}
