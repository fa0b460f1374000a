import { basename, dirname, join } from "node:path";
import type { ConfigSources } from "@verbena/core";
import { DEFAULT_PATHS } from "@verbena/core";
import { ControlClient } from "@verbena/core/client";
import { VerbenaError } from "@verbena/ib";
import { type NativeOptions, openNative } from "@verbena/native";
import { knownHosts } from "../../multicast/known-hosts.js";
import type {
  AddressSeen,
  ConfigSeen,
  DaemonSeen,
  DeviceSeen,
  LibrariesSeen,
  MulticastSeen,
  Probe,
  ProcessSeen,
  RendezvousSeen,
  SaSeen,
  SocketSeen,
  UmadSeen,
  UnitsSeen,
} from "../probe.js";
import { HostFiles } from "./files.js";
import { lookAtDeviceFiles, lookAtInterfaces, lookAtKernel } from "./kernel.js";
import type { DaemonPlace, LookSections } from "./look-message.js";
import { LookProcess } from "./look-process.js";
import { once } from "./once.js";
import { lookAtProcess, processesNamed } from "./process.js";
import { lookAtSocket, lookAtTcp } from "./socket.js";
import { lookAtUnits } from "./units.js";

/** Where to look, and for how long. */
export interface SystemProbeOptions {
  readonly sources: ConfigSources;
  /** Client socket; default: the configuration's. */
  readonly socket?: string;
  readonly control?: string;
  readonly fabric?: Probe["fabric"];
  readonly native: NativeOptions;
  /** Time one look may take, milliseconds. */
  readonly patienceMs: number;
  /** Another root of `/proc`, `/sys` and `/dev`; for tests. */
  readonly root?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly units?: () => Promise<UnitsSeen>;
}

/** This host. */
export class SystemProbe implements Probe, AsyncDisposable {
  readonly fabric: Probe["fabric"];
  readonly #options: SystemProbeOptions;
  readonly #files: HostFiles;

  constructor(options: SystemProbeOptions) {
    this.#options = options;
    this.fabric = options.fabric;
    this.#files = new HostFiles(options.root);
  }

  readonly interfaces = once(() => lookAtInterfaces(this.#files));
  readonly deviceFiles = once(() => lookAtDeviceFiles(this.#files));
  readonly kernel = once(() => lookAtKernel(this.#files));
  readonly units = once(() => (this.#options.units ?? lookAtUnits)());
  readonly daemon = once(() => this.#lookAtDaemon());
  readonly multicast = once(() => this.#lookAtMulticast());
  readonly clientSocket = once(() => this.#lookAtClientSocket());
  readonly controlSocket = once(async () => this.#socket((await this.#place()).control));
  readonly process = once(() => this.#lookAtProcess());

  /** The addon in this process, for the credentials of a socket's peer; no library is loaded here. */
  readonly #addon = once(() => Promise.resolve(openNative()));
  readonly #looking = once(() => Promise.resolve(new LookProcess(this.#options, this.#options.env)));

  async config(): Promise<ConfigSeen> {
    return (await this.#section("config")).seen;
  }

  libraries(): Promise<LibrariesSeen> {
    return this.#section("libraries");
  }

  devices(): Promise<readonly DeviceSeen[]> {
    return this.#section("devices");
  }

  umad(): Promise<readonly UmadSeen[]> {
    return this.#section("umad");
  }

  sa(): Promise<readonly SaSeen[]> {
    return this.#section("sa");
  }

  addresses(): Promise<readonly AddressSeen[]> {
    return this.#section("addresses");
  }

  processesNamed(command: string): Promise<readonly number[]> {
    return processesNamed(this.#files, command);
  }

  async rendezvous(): Promise<RendezvousSeen | undefined> {
    const { socket, run, mode } = await this.#place();
    if (basename(socket) !== SOCKET_NAME) return undefined;
    const [name, wanted] = mode === "unix" ? ["ibacm.sock", SOCKET_NAME] : ["ibacm.port", "ibacm-tcp.port"];
    const path = join(run, name);
    const target = await this.#files.linkTarget(path);
    return { path, wanted, ...(target === undefined ? {} : { target }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#looking.isMade) (await this.#looking())[Symbol.dispose]();
    if (this.#addon.isMade) await this.#addon().then((native) => native.close(), nothing);
  }

  /** One process looks at all sections; it is started when the first is asked for. */
  async #section<K extends keyof LookSections>(section: K): Promise<LookSections[K]> {
    return (await this.#looking()).section(section);
  }

  /** Where a daemon is expected: as asked for, else as configured, else as ibacm has it. */
  async #place() {
    // Files that cannot be looked at are a finding of their own check.
    const { place } = await this.#section("config").catch((): { readonly place?: DaemonPlace } => ({}));
    const { socket, control } = this.#options;
    const own = socket ?? place?.socket;
    const run = own === undefined ? (place?.runDirectory ?? DEFAULT_PATHS.run) : dirname(own);
    const path = own ?? join(run, SOCKET_NAME);
    const configured = typeof place?.control === "string" ? place.control : `${path}.ctl`;
    const mode = own === undefined ? (place?.serverMode ?? "unix") : "unix";
    return { socket: path, control: control ?? configured, run, mode, port: place?.serverPort ?? 0 };
  }

  async #lookAtClientSocket(): Promise<SocketSeen> {
    const { socket, mode, port } = await this.#place();
    return mode === "unix" ? this.#socket(socket) : lookAtTcp(port, this.#options.patienceMs);
  }

  async #socket(path: string): Promise<SocketSeen> {
    const { patienceMs } = this.#options;
    const native = await this.#addon().catch(nothing);
    const parts = { files: this.#files, patienceMs };
    if (native === undefined) return lookAtSocket(path, parts);
    return lookAtSocket(path, { ...parts, peerCredentials: (fd) => native.process.peerCredentials(fd) });
  }

  async #lookAtDaemon(): Promise<DaemonSeen | undefined> {
    return this.#ask(async (client) => {
      const [status, { endpoints }, { sa = [] }] = await Promise.all([
        client.status(),
        client.endpoints(),
        client.stats(),
      ]);
      return { status, endpoints, sa };
    });
  }

  async #lookAtMulticast(): Promise<MulticastSeen | undefined> {
    return this.#ask(async (client) => {
      const [{ entries }, { chains }] = await Promise.all([client.cache(), client.status()]);
      const isInUse = chains?.route.includes(MULTICAST_PROVIDER) === true;
      const wanted = knownHosts(entries, HOSTS_CHECKED);
      // Who has gone meanwhile is no matter of the groups.
      const checks = await Promise.allSettled(wanted.map((destination) => client.checkGroups({ destination })));
      return { isInUse, checks: checks.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])) };
    });
  }

  /** `undefined` where nobody listens. */
  async #ask<T>(question: (client: ControlClient) => Promise<T>): Promise<T | undefined> {
    await using client = new ControlClient({
      path: (await this.#place()).control,
      timeoutMs: this.#options.patienceMs,
    });
    try {
      return await question(client);
    } catch (error) {
      if (VerbenaError.is(error, "VERBENA_CLIENT_CONNECT")) return undefined;
      throw error;
    }
  }

  async #lookAtProcess(): Promise<ProcessSeen & { readonly isDaemon: boolean }> {
    const daemon = await this.daemon().catch(nothing);
    const seen = daemon === undefined ? undefined : await lookAtProcess(this.#files, daemon.status.pid);
    if (seen !== undefined) return { ...seen, isDaemon: true };
    const own = await lookAtProcess(this.#files, "self");
    if (own === undefined) throw new Error("/proc/self cannot be read: is /proc mounted?");
    return { ...own, isDaemon: false };
  }
}

/** Whose paths are made of groups. */
const MULTICAST_PROVIDER = "acm";
/** Each costs the SA two queries. */
const HOSTS_CHECKED = 4;

/** Name of the client socket in the run directory (acm.md 1.1). */
const SOCKET_NAME = "ibacm-unix.sock";

function nothing(): undefined {
  return undefined;
}
