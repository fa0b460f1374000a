import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { ACM_HEADER_SIZE, ACM_OPCODE, decodeAcmReplyHeader } from "@verbena/ib";
import { errnoText } from "./errno-text.js";

/** Files by which the service is found. */
export interface ServicePlaces {
  /** `/run` */
  readonly runDir: string;
}

/** The service cannot be reached: what to print, and the status of the program. */
export class ServiceUnreachable extends Error {
  constructor(
    readonly text: string,
    readonly status: number,
  ) {
    super(text);
  }
}

/** The service closed, or sent what is no reply. */
export class ServiceBroken extends Error {
  constructor(readonly text: string) {
    super(text);
  }
}

const DEFAULT_PORT = 6125;
/** How long the rest of a reply that has begun may take, milliseconds: the daemon writes replies at once. */
const REST_MS = 2_000;
/** `sun_path` without its NUL. */
const MAX_PATH_BYTES = 107;
const ENAMETOOLONG = 36;
/** Values of the C library. */
const EAI: Readonly<Record<string, number>> = { EAI_NONAME: -2, ENOTFOUND: -2, EAI_AGAIN: -3, EAI_FAIL: -4 };

/** Path of the service when none is named. */
export function defaultService({ runDir }: ServicePlaces): string {
  return join(runDir, "ibacm-unix.sock");
}

/**
 * A conversation with the service: one request, one reply. There is no time-out, as `ib_acme` has none: how long a lookup may take
 * is the daemon's affair.
 */
export class Service {
  readonly #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (piece: Buffer) => {
      this.#input = Buffer.concat([this.#input, piece]);
      this.#wake?.();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** Connects to a Unix socket (`/path`) or a host. Rejects with {@link ServiceUnreachable}. */
  static async open(name: string, places: ServicePlaces): Promise<Service> {
    return new Service(name.startsWith("/") ? await connectPath(name) : await connectHost(name, places));
  }

  /** Sends a request and takes its reply. Rejects with {@link ServiceBroken}. */
  async exchange(request: Buffer): Promise<Buffer> {
    this.#socket.write(request);
    await this.#need(ACM_HEADER_SIZE);
    const length = replyLength(this.#input);
    await this.#needRest(length);
    const reply = this.#input.subarray(0, length);
    this.#input = this.#input.subarray(length);
    return reply;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #needRest(length: number): Promise<void> {
    const giveUp = setTimeout(() => {
      this.#socket.destroy();
    }, REST_MS);
    try {
      await this.#need(length);
    } finally {
      clearTimeout(giveUp);
    }
  }

  async #need(bytes: number): Promise<void> {
    while (this.#input.length < bytes) {
      if (this.#isClosed) throw new ServiceBroken(errnoText("ENOTCONN"));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A refused endpoint query is its header; what that says of a length does not count. */
function replyLength(header: Buffer): number {
  const { opcode, status, length } = decodeAcmReplyHeader(header);
  if ((opcode & ACM_OPCODE.MASK) === ACM_OPCODE.ENDPOINT_QUERY && status !== 0) return ACM_HEADER_SIZE;
  if (length < ACM_HEADER_SIZE) throw new ServiceBroken(errnoText("EPROTO"));
  return length;
}

async function connectPath(path: string): Promise<Socket> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new ServiceUnreachable(errnoText("ENAMETOOLONG"), ENAMETOOLONG);
  try {
    return await connected(createConnection({ path }));
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException;
    throw new ServiceUnreachable(errnoText(code), Math.abs(errno ?? 1));
  }
}

async function connectHost(host: string, { runDir }: ServicePlaces): Promise<Socket> {
  const port = readPort(join(runDir, "ibacm-tcp.port"));
  const address = await addressOf(host);
  try {
    return await connected(createConnection({ host: address, port, noDelay: true }));
  } catch (error) {
    throw new ServiceUnreachable(errnoText((error as NodeJS.ErrnoException).code), -1);
  }
}

async function addressOf(host: string): Promise<string> {
  try {
    if (host === "") throw Object.assign(new Error("no name"), { code: "EAI_NONAME" });
    return (await lookup(host)).address;
  } catch (error) {
    // The C library keeps its own numbers here and sets no errno; the text is what is left of the search for the port file.
    throw new ServiceUnreachable(errnoText("ENOENT"), EAI[(error as NodeJS.ErrnoException).code ?? ""] ?? -1);
  }
}

function readPort(path: string): number {
  try {
    const port = Number.parseInt(readFileSync(path, "utf8"), 10);
    return port > 0 && port < 65_536 ? port : DEFAULT_PORT;
  } catch {
    return DEFAULT_PORT;
  }
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}
